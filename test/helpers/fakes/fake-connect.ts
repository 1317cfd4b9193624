import { vi } from 'vitest';
import type { Connection } from '../../../runner/postgres/client.ts';
import type { Target } from '../../../runner/postgres/target.ts';

/** It opens no connection itself. */
export const { allOrNone } = await vi.importActual<typeof import('../../../runner/postgres/connect.ts')>(
  '../../../runner/postgres/connect.ts',
);

/** One connection that the run of a test opened. */
export interface FakeConnection {
  variant: string;
  open: boolean;
}

/** Takes the place of every server: `vi.mock('.../runner/postgres/connect.ts', () => import('.../fake-connect.ts'))`. */
export const server = {
  connections: [] as FakeConnection[],
  /** Marks of finished loads, by server. */
  marks: new Map<string, string>(),
  /** Answers a query, or throws what the server would throw. */
  onQuery: (() => undefined) as (variant: string, statement: string) => void,
  /** Tables that a server holds, with their rows. */
  tablesOf: (() => ({})) as (variant: string) => Readonly<Record<string, number>>,
  /** What a new session has of each setting. */
  settingsOf: (() => ({})) as (variant: string) => Readonly<Record<string, string>>,
  /** Version that a server tells. */
  versionOf: ((): string => '16.15') as (variant: string) => string,
  forget() {
    server.connections = [];
    server.versionOf = () => '16.15';
    server.tablesOf = () => ({});
    server.settingsOf = () => ({});
    server.marks.clear();
    server.onQuery = () => undefined;
  },
};

export function connect({ server: variant }: Target): Promise<Connection> {
  const connection = { variant, open: true };
  server.connections.push(connection);
  const client = {
    query(statement: string) {
      // That a server has what was asked for is proved before each trial. Tests of other queries need not see it.
      if (/server_version_num/.test(statement)) {
        const version = server.versionOf(variant);
        return Promise.resolve({ rows: [{ version, number: Number.parseInt(version, 10) * 10_000 }] });
      }
      const tables = Object.entries(server.tablesOf(variant));
      if (/pg_relation_size/.test(statement)) {
        return Promise.resolve({ rows: tables.map(([name]) => ({ name, estimate: -1, statement: 'count them' })) });
      }
      if (/^count them/.test(statement)) {
        return Promise.resolve({ rows: tables.map(([name, rows]) => ({ name, rows })) });
      }
      if (/SELECT lower\(name\)/.test(statement)) {
        return Promise.resolve({
          rows: Object.entries(server.settingsOf(variant)).map(([name, value]) => ({ name, value })),
        });
      }
      if (/"isOfSessions"/.test(statement)) {
        const settings = Object.entries(server.settingsOf(variant));
        return Promise.resolve({ rows: settings.map(([name, value]) => ({ name, value, isOfSessions: false })) });
      }
      if (/pg_settings/.test(statement)) return Promise.resolve({ rows: [] });
      server.onQuery(variant, statement);
      return Promise.resolve({ rows: markRows(variant, statement) });
    },
    cutOff: () => undefined,
    transactions: () => 0,
    end() {
      connection.open = false;
      return Promise.resolve();
    },
  };
  return Promise.resolve(client as Connection);
}

export async function withConnection<T>(target: Target, use: (client: Connection) => Promise<T>): Promise<T> {
  const client = await connect(target);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Does with marks of loads what a server does. */
function markRows(variant: string, statement: string): { mark: string }[] {
  if (!statement.includes('pgduet_load')) return [];
  const mark = server.marks.get(variant);
  const written = /IS '(.*)'$/.exec(statement)?.[1];
  if (statement.startsWith('DROP')) server.marks.delete(variant);
  if (written !== undefined) server.marks.set(variant, written);
  return statement.startsWith('SELECT') && mark !== undefined ? [{ mark }] : [];
}
