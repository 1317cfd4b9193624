import type { Client } from '../../postgres/client.ts';
import type { Statement } from '../../contract/server-facts.ts';
import type { Facts } from '../../contract/trial.ts';
import { withConnection } from '../../postgres/connect.ts';
import { withoutRole } from '../../postgres/predefined-roles.ts';
import { outsideLoad } from '../../postgres/target.ts';
import { absent, emptyCollection } from '../absent.ts';
import { metric } from '../metric.ts';
import { sampleServer } from '../sampler.ts';
import { isGeneric, plansOf, textsOfLoad } from './plans.ts';
import { costliestBetween, droppedBy, lookAt, type StatementCounters } from './statement-counters.ts';
import { isShown, shownText } from './statement-texts.ts';
import type { Collector, Findings, UseDatabase } from '../collector.ts';

/** How many statements are reported. */
const max = 5;

const jitTime = metric('seconds', 'statements.jitTime', 'time of compiling statements (JIT)', {
  hidden: true,
  source: 'pg_stat_statements 1.10 and newer (PostgreSQL 15), all statements of the load',
});

/** How often the texts of running statements are read, in seconds. The costliest run for the longest, and are seen soon. */
const textsEvery = 0.5;

/** The statements that took the most time in a trial, with their plans, if the extension pg_stat_statements is installed. */
export const statements: Collector = {
  name: 'statements',
  optional: true,
  metrics: [jitTime],
  needs: [
    {
      setting: 'compute_query_id',
      suffices: (value) => value !== 'off',
      gap: 'pg_stat_statements counts nothing',
      remedy: 'set it to auto',
    },
    {
      setting: 'pg_stat_statements.track',
      suffices: (value) => value !== 'none',
      gap: 'it counts nothing',
      remedy: 'set it to top',
    },
  ],
  async start(trial) {
    const { target, signal } = trial;
    // In another database, resets do not touch the extension, and our queries add no commits to the measured one.
    const outside: UseDatabase = (use) => withConnection(outsideLoad(target), use, signal);
    const place = (await found(outside)) ?? (await found(trial.database));
    if (!place) {
      const { database: home } = outsideLoad(target);
      return emptyCollection(
        statements.name,
        `the extension pg_stat_statements is neither in the database ${home} nor in ${target.database}: load it with shared_preload_libraries, and run CREATE EXTENSION pg_stat_statements in the database ${home}`,
      );
    }
    const { ask, schema } = place;
    const look = async (client: Client) => ({
      counters: await lookAt(client, schema, target.database),
      dropped: await droppedBy(client, schema),
    });
    let before: Awaited<ReturnType<typeof look>>;
    try {
      before = await ask(look);
    } catch (error) {
      if (signal.aborted) throw error;
      return emptyCollection(statements.name, reasonOf(error));
    }
    const query = { name: 'texts', text: textsOfLoad, values: [target.database] };
    /** Texts as they were sent, by their numbers. */
    const sent = new Map<string, string>();
    const sampler = await sampleServer(target, textsEvery, async (client) => {
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
            const after = await look(client);
            const costliest = costliestBetween(before.counters, after.counters);
            if (typeof costliest === 'string') return absent(statements.name, costliest);
            const known = await textsOf(client, schema, target.database, costliest);
            const texts = new Map([...known].map(([id, { text }]) => [id, text]));
            const findings = findingsOf(costliest, texts);
            for (const { queryId } of findings.facts?.statements ?? []) {
              const own = known.get(queryId);
              if (own?.isOurs) toPlan.set(queryId, sent.get(queryId) ?? own.text);
            }
            // The costliest are the last that it forgets, but the others are part of no sum.
            return after.dropped === before.dropped || !findings.measures
              ? findings
              : withoutTotal(findings, forgotten);
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
  return `querying pg_stat_statements failed: ${error instanceof Error ? error.message : String(error)}`;
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
    const times = shown.flatMap((one) => one.jitTime ?? []);
    const findings = {
      measures: { [jitTime.name]: times.reduce((sum, one) => sum + one, 0) },
      facts: { statements: shown.slice(0, max) },
    };
    if (times.length === shown.length) return findings;
    return withoutTotal(findings, 'pg_stat_statements before 1.10 does not time the compilation of statements');
  }
  return absent(
    statements.name,
    [...texts.values()].includes('<insufficient privilege>')
      ? withoutRole('pg_monitor')
      : 'pg_stat_statements counted no statement of the load (is pg_stat_statements.track set to none?)',
  );
}

const forgotten = 'pg_stat_statements dropped statements during the trial: raise pg_stat_statements.max';

function withoutTotal(findings: Findings, why: string): Findings {
  return {
    ...findings,
    measures: { [jitTime.name]: null },
    facts: { ...findings.facts, ...absent(statements.name, why).facts },
  };
}
