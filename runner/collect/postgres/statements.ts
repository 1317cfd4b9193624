import type { Client } from 'pg';
import type { Statement } from '../../contract/seen-on-server.ts';
import type { Metric } from '../../contract/metric.ts';
import type { Facts } from '../../contract/trial.ts';
import { withConnection } from '../../postgres/connect.ts';
import { absent, emptyCollection } from '../ask-of-each.ts';
import { connectSampler, sampleServer } from '../sampler.ts';
import { isGeneric, plansOf, textsOfLoad, withoutStrings } from './plans.ts';
import type { Collector, Findings, UseDatabase } from '../collector.ts';

/** How many statements are reported. */
const most = 5;

/** Counters of one statement, over all users. Times are seconds. */
export type StatementCounters = Omit<Statement, 'text' | 'meanTime' | 'jitTime'> & { jitTime: number };

const jitTime: Metric = {
  name: 'statements.jitTime',
  label: 'time of compiling statements (JIT)',
  unit: 's',
  kind: 'duration',
  better: 'lower',
  compared: null,
  hidden: true,
  source: 'pg_stat_statements 1.10 and newer (PostgreSQL 15), all statements of the load',
};

/** Their times for compiling, by whatever version has them: it is a part of their total time. */
const timesOfJit = ['generation', 'inlining', 'optimization', 'emission']
  .map((step) => `coalesce((to_jsonb(s)->>'jit_${step}_time')::float8, 0)`)
  .join(' + ');

/** How often the texts of running statements are read, in seconds. The costliest run for the longest, and are seen soon. */
const textsEvery = 0.5;

/** The statements that took the most time in a trial, with their plans, if the extension pg_stat_statements is installed. */
export const statements: Collector = {
  name: 'statements',
  optional: true,
  metrics: [jitTime],
  async start(trial) {
    const { target, signal } = trial;
    // In another database, resets do not touch the extension, and our queries add no commits to the measured one.
    const outside: UseDatabase = (use) => withConnection({ ...target, database: 'postgres' }, use, signal);
    const place = (await found(outside)) ?? (await found(trial.database));
    if (!place) {
      return emptyCollection(
        statements.name,
        `the extension pg_stat_statements is neither in the database postgres nor in ${target.database}: load it with shared_preload_libraries, and run CREATE EXTENSION pg_stat_statements in the database postgres`,
      );
    }
    const { ask, schema } = place;
    const look = (client: Client) => lookAt(client, schema, target.database);
    let before: StatementCounters[];
    try {
      before = await ask(look);
    } catch (error) {
      if (signal.aborted) throw error;
      return emptyCollection(statements.name, reasonOf(error));
    }
    const client = await connectSampler(target);
    const query = { name: 'texts', text: textsOfLoad, values: [target.database] };
    /** Texts as they were sent, by their numbers. */
    const sent = new Map<string, string>();
    const sampler = sampleServer(client, textsEvery, async () => {
      const { rows } = await client.query<{ id: string; text: string }>(query);
      for (const { id, text } of rows) {
        const single = text.replace(/;\s*$/, '');
        // Several statements in one text have the number of the one that runs.
        if (!single.includes(';')) sent.set(id, single);
      }
    });
    /** Whole texts of the statements that are reported, by their numbers, if our role has carried them out. */
    const toPlan = new Map<string, string>();
    return {
      async stop() {
        await sampler.stop();
        try {
          return await ask(async (client) => {
            const costliest = costliestBetween(before, await look(client));
            if (typeof costliest === 'string') return absent(statements.name, costliest);
            const known = await textsOf(client, schema, target.database, costliest);
            const texts = new Map([...known].map(([id, { text }]) => [id, text]));
            const findings = findingsOf(costliest, texts);
            for (const { queryId } of findings.facts?.statements ?? []) {
              const own = known.get(queryId);
              if (own?.isOurs) toPlan.set(queryId, sent.get(queryId) ?? own.text);
            }
            return findings;
          });
        } catch (error) {
          if (signal.aborted) throw error;
          return absent(statements.name, reasonOf(error));
        }
      },
      // Only now: until the whole step has ended, others are measured.
      async finish() {
        const plans = await plansOf(target, toPlan, signal);
        const facts: Pick<Facts, 'plans' | 'genericPlans'> = {};
        for (const [id, plan] of plans)
          (facts[isGeneric(toPlan.get(id) ?? '') ? 'genericPlans' : 'plans'] ??= {})[id] = plan;
        return { facts };
      },
      abandon: () => sampler.abandon(),
    };
  },
};

/**
 * The server's words, such as "must be loaded via shared_preload_libraries", or an error of an extension older than the
 * server.
 */
function reasonOf(error: unknown): string {
  return `pg_stat_statements does not answer: ${error instanceof Error ? error.message : String(error)}`;
}

/** The quoted schema of the extension; null if it is not in this database. */
async function found(ask: UseDatabase): Promise<{ ask: UseDatabase; schema: string } | null> {
  const { rows } = await ask((client) =>
    client.query<{ schema: string }>(
      `SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
        WHERE extname = 'pg_stat_statements'`,
    ),
  );
  return rows[0] ? { ask, schema: rows[0].schema } : null;
}

async function lookAt(client: Client, schema: string, database: string): Promise<StatementCounters[]> {
  // Without the texts, which the server would read from a file.
  const { rows } = await client.query<StatementCounters>(
    `SELECT queryid::text AS "queryId", sum(calls)::float8 AS calls, sum(total_exec_time)::float8 / 1000 AS "totalTime",
        sum(rows)::float8 AS rows, sum(shared_blks_read)::float8 AS "blocksRead",
        sum(shared_blks_dirtied)::float8 AS "blocksDirtied", sum(wal_bytes)::float8 AS "walBytes",
        sum(${timesOfJit}) / 1000 AS "jitTime"
      FROM ${schema}.pg_stat_statements(false) AS s
      WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1) AND queryid IS NOT NULL
      GROUP BY queryid`,
    [database],
  );
  return rows;
}

/** Enough that some remain after those whose text is not shown have been removed. */
const mostWithText = 50;

/** The statements that ran in between, the costliest first; or a reason if the counters were reset. */
export function costliestBetween(
  before: readonly StatementCounters[],
  after: readonly StatementCounters[],
): StatementCounters[] | string {
  const earlier = new Map(before.map((one) => [one.queryId, one]));
  const ran: StatementCounters[] = [];
  for (const one of after) {
    const start = earlier.get(one.queryId);
    if (start && one.calls < start.calls) return 'the counters of pg_stat_statements were reset during the trial';
    const grown = (name: Exclude<keyof StatementCounters, 'queryId'>): number => one[name] - (start?.[name] ?? 0);
    if (grown('calls') === 0) continue;
    ran.push({
      queryId: one.queryId,
      calls: grown('calls'),
      totalTime: grown('totalTime'),
      rows: grown('rows'),
      blocksRead: grown('blocksRead'),
      blocksDirtied: grown('blocksDirtied'),
      walBytes: grown('walBytes'),
      jitTime: grown('jitTime'),
    });
  }
  return ran.sort((a, b) => b.totalTime - a.totalTime).slice(0, mostWithText);
}

/** A text, and whether the role of this connection has carried it out. */
interface KnownText {
  text: string;
  isOurs: boolean;
}

async function textsOf(
  client: Client,
  schema: string,
  database: string,
  wanted: readonly StatementCounters[],
): Promise<Map<string, KnownText>> {
  const { rows } = await client.query<{ id: string; text: string | null; isOurs: boolean }>(
    `SELECT queryid::text AS id, min(query) AS text, bool_or(pg_get_userbyid(userid) = current_user) AS "isOurs"
      FROM ${schema}.pg_stat_statements(true)
      WHERE queryid = ANY ($1::bigint[]) AND dbid = (SELECT oid FROM pg_database WHERE datname = $2) GROUP BY queryid`,
    [wanted.map(({ queryId }) => queryId), database],
  );
  return new Map(rows.map(({ id, text, isOurs }) => [id, { text: text ?? '', isOurs }]));
}

export function findingsOf(costliest: readonly StatementCounters[], texts: ReadonlyMap<string, string>): Findings {
  const shown = costliest.flatMap((one): Statement[] => {
    const text = texts.get(one.queryId) ?? '';
    return isShown(text) ? [{ ...one, text: shownText(text), meanTime: one.totalTime / one.calls }] : [];
  });
  if (shown.length > 0) {
    return {
      measures: { [jitTime.name]: shown.reduce((sum, one) => sum + (one.jitTime ?? 0), 0) },
      facts: { statements: shown.slice(0, most) },
    };
  }
  return absent(
    statements.name,
    [...texts.values()].includes('<insufficient privilege>')
      ? 'pgduet’s role may not see the statements: GRANT pg_read_all_stats to it'
      : 'pg_stat_statements counted no statement of the load (is pg_stat_statements.track set to none?)',
  );
}

/**
 * The server keeps no constants of statements that read or change rows. Statements that control transactions have none.
 */
const withoutSecrets =
  /^(select|insert|update|delete|merge|with|values|table|begin|start\s+transaction|commit|end|rollback|savepoint|release)\b/i;
const leading = /^(\s+|\/\*[^]*?\*\/|--[^\n]*(\n|$)|\()+/;
/** Queries of collectors, which no load contains. */
const ours = /\bpg_(stat_|postmaster_start_time|settings|extension)|\bcurrent_setting\(/i;
const mostCharacters = 300;

/**
 * Whether the statement belongs to the load and its text may be shown. The server keeps other statements, such as ALTER
 * ROLE, as they were written, so they may contain a password.
 */
export function isShown(text: string): boolean {
  return withoutSecrets.test(text.replace(leading, '')) && !ours.test(text);
}

/** The text in one line, shortened. */
export function shownText(text: string): string {
  // The server may forget a statement between parsing and counting it. It then keeps the constants.
  const line = withoutStrings(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters - 1)}…` : line;
}
