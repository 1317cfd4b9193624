import path from 'node:path';
import type { Client } from '../../postgres/client.ts';
import { PartError } from '../../contract/errors.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import type { Target } from '../../postgres/target.ts';
import type { GeneratorOptions, LoadGenerator } from '../load-generator.ts';
import { buildSchema } from './load.ts';
import { type DeclaredHammerdb, type HammerdbWorkload, measuresOfRun, procedures, tables } from './schema.ts';
import { sizes } from '../tpcc.ts';
import { says } from './output/lines.ts';
import { parseOutput } from './output/parse-output.ts';
import { findProgram } from './program/find-program.ts';
import { startTrialSession, type TrialSession } from './trial-session.ts';
import { missingFromTables, sqlArray } from '../loading.ts';

/** Load generator that runs HammerDB's command line, in one process for each build, check and trial. */
export function hammerdbGenerator(options: GeneratorOptions<HammerdbWorkload>): LoadGenerator {
  const { workload } = options;
  const rampedUp = new Map<string, TrialSession>();
  let install: Promise<string> | undefined;
  const equipped = async (signal: AbortSignal): Promise<{ install: string; workload: HammerdbWorkload }> => ({
    install: await (install ??= installOf({ ...options, signal })),
    workload,
  });

  return {
    async load(target, request) {
      await buildSchema(target, await equipped(request.signal), request);
    },

    missing: (client) => missingFromBuild(client, workload),

    async warmUp(target, { folder, seconds, signal, onProgress }) {
      const session = startTrialSession(target, await equipped(signal), {
        folder,
        rampUpSeconds: seconds,
        signal,
        onProgress,
      });
      rampedUp.set(target.server, session);
      await session.until(says.rampedUp);
    },

    async measure(target, { folder, signal, onProgress, onProcess }) {
      const warm = rampedUp.get(target.server);
      const session =
        warm ?? startTrialSession(target, await equipped(signal), { folder, rampUpSeconds: 0, signal, onProgress });
      // A session that began with the warm-up has the signal of the warm-up, which is another one.
      const stop = (): void => void session.end(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      try {
        session.beginMeasuring(onProgress);
        void session.pid.then((pid) => onProcess?.(pid));
        const { lines, seconds } = await session.ended;
        const run = theRun(lines, workload);
        const { measures, facts } = measuresOfRun(run);
        const load = session.measuredWindow();
        return {
          ...(load && { load }),
          measures: {
            ...measures,
            runtime: load ? (load.to - load.from) / 1000 : run.durationSeconds,
            'load.processSeconds': seconds - session.secondsBefore(),
          },
          facts,
          series: session.series(),
        };
      } finally {
        signal.removeEventListener('abort', stop);
        rampedUp.delete(target.server);
      }
    },

    async abandon(target: Target) {
      const session = rampedUp.get(target.server);
      rampedUp.delete(target.server);
      await session?.end(new PartError('the trial has failed', 'load-failed'));
    },
  };
}

/** Where to look for the program. */
type ProgramOptions = Pick<GeneratorOptions<DeclaredHammerdb>, 'scriptFolder' | 'downloadUntil'> & {
  workload: Pick<DeclaredHammerdb, 'archive'>;
  signal: AbortSignal;
};

/** @returns the folder of HammerDB */
export async function installOf({ workload, scriptFolder, downloadUntil, signal }: ProgramOptions): Promise<string> {
  const { archive } = workload;
  return findProgram({
    archive: archive === undefined ? undefined : path.resolve(scriptFolder, archive),
    environment: process.env,
    downloadUntil,
    signal,
  });
}

/** @throws unless the lines are those of exactly one complete run, with the users and the duration of the workload */
function theRun(lines: readonly string[], { users, durationMinutes, warehouses }: HammerdbWorkload): ToolRun {
  const [run, ...others] = parseOutput(lines.join('\n'));
  if (run === undefined || others.length > 0)
    throw new PartError(`HammerDB did ${others.length + 1} runs, not one`, 'load-failed');
  if (!run.complete) throw new PartError(`HammerDB did not complete: ${run.problems.join('; ')}`, 'load-failed');
  // It is our last command before the answers about the job.
  if (!lines.some((line) => says.destroyed.test(line)))
    throw new PartError('HammerDB did not complete: its virtual users were not destroyed', 'load-failed');
  if (run.scripts.length === 0) throw new PartError('HammerDB did not complete: no procedure times', 'load-failed');
  if (run.clients !== users || run.durationSeconds !== durationMinutes * 60) {
    throw new PartError(
      `HammerDB ran ${run.clients} virtual users for ${run.durationSeconds} s; the experiment asks for ${users} for ${durationMinutes * 60} s`,
      'load-failed',
    );
  }
  // Versions before 5 do not print it.
  return { ...run, scale: run.scale ?? warehouses };
}

/**
 * What is missing from a build, each a phrase; empty if nothing is. It counts all rows of small tables, but of the
 * large ones only those of the last warehouse, by their keys. HammerDB makes the routines last, so they prove that the
 * build has finished.
 */
function missingFromBuild(
  client: Client,
  { warehouses, storedProcedures }: Pick<HammerdbWorkload, 'warehouses' | 'storedProcedures'>,
): Promise<string[]> {
  const last = `of warehouse ${warehouses.toLocaleString('en')}`;
  const { districtsPerWarehouse, stockPerWarehouse, items } = sizes;
  const customers = districtsPerWarehouse * sizes.customersPerDistrict;
  const orders = districtsPerWarehouse * sizes.ordersPerDistrict;
  const routines = `pronamespace = 'public'::regnamespace AND proname = ANY (${sqlArray(procedures)}) AND prokind = '${storedProcedures ? 'p' : 'f'}'`;
  return missingFromTables(client, tables, [
    ['warehouses', 'SELECT count(*) FROM warehouse', warehouses],
    ['districts', 'SELECT count(*) FROM district', warehouses * districtsPerWarehouse],
    ['items', 'SELECT count(*) FROM item', items],
    [`customers ${last}`, `SELECT count(*) FROM customer WHERE c_w_id = ${warehouses}`, customers],
    [`stock ${last}`, `SELECT count(*) FROM stock WHERE s_w_id = ${warehouses}`, stockPerWarehouse],
    // Trials add orders.
    [`orders ${last}`, `SELECT least(count(*), ${orders}) FROM orders WHERE o_w_id = ${warehouses}`, orders],
    [
      storedProcedures ? 'procedures' : 'functions',
      `SELECT count(DISTINCT proname) FROM pg_proc WHERE ${routines}`,
      procedures.length,
    ],
  ]);
}
