import type { LoggedLoad } from '../../contract/tool-output.ts';
import type { Tool } from '../tool.ts';
import { demandOptions, driverNeeds, pgbenchVersion } from './driver.ts';
import { pgbenchDurations } from './durations.ts';
import { atLevel, loadAxes } from './levels.ts';
import { identityWords, measuresOfRun } from './measures.ts';
import { refusedKeys } from './options.ts';
import { defaultReset, ownReset, refusesReset } from './own-data/rules.ts';
import { lookIntoFiles } from './look-into-files.ts';
import { isOwnData, loadedByOwn, loadFilesOf } from './own-data/schema.ts';
import { experimentProblems, workloadProblems } from './rules.ts';
import { type DeclaredWorkload, pgbenchSchema } from './schema.ts';
import { scriptsApart } from './script-mix.ts';
import { isOfLog, transactionLog } from './transaction-log.ts';
import { pgbenchWords } from './words.ts';

/** PostgreSQL's own load generator, with its built-in scripts or with scripts of the user. */
export const pgbench: Tool<DeclaredWorkload> = {
  name: 'pgbench',
  schema: pgbenchSchema,
  metrics: [],
  throughput: 'tps',
  collectors: [transactionLog],
  problems: workloadProblems,
  axes: loadAxes,
  atLevel,
  shape(workload) {
    const { clients, transactions, durationSeconds = null, rate = null } = atLevel(workload);
    return {
      clients,
      limit: durationSeconds === null ? 'transactions' : 'time',
      transactions: transactions === undefined ? null : transactions * clients,
      durationSeconds,
      offeredPerSecond: rate,
    };
  },
  scripts: ({ scripts = [] }) => scriptsApart(scripts),
  experimentProblems,
  lacks: ({ latencyLimitMs, rate, reconnect, samplingRate = 1 }, metric, script) => {
    if (metric === 'latency.withinLimit' && latencyLimitMs === undefined) {
      return 'there is no limit; give workload.latencyLimitMs';
    }
    if (metric.startsWith('lag.') && rate === undefined) return 'no transaction has a schedule; give workload.rate';
    if (metric === 'latency.connection' && !reconnect) return 'clients stay connected; set workload.reconnect to true';
    if (samplingRate < 1 && isOfLog(metric, script)) {
      return 'its log is a sample, and chance would decide, too; leave workload.samplingRate out';
    }
    return null;
  },
  logged,
  durations: (workload) => pgbenchDurations(atLevel(workload)),
  words: pgbenchWords,
  resetSteps: {
    'truncate-history': {
      words: 'empty the history table',
      expectedSeconds: 0.1,
      statements: ['TRUNCATE pgbench_history'],
    },
    'tool-default': {
      words: 'what the load generator does by itself before a run',
      expectedSeconds: 0.1,
      statements: ['VACUUM pgbench_branches', 'VACUUM pgbench_tellers', 'TRUNCATE pgbench_history'],
    },
    [ownReset]: { words: 'reset by files of the user', expectedSeconds: 1, statements: null },
  },
  refusesReset,
  defaultReset,
  files: ({ scripts, load }) => [
    ...new Set([
      ...scripts.flatMap((script) => ('file' in script ? [script.file] : [])),
      ...(isOwnData(load) ? [...loadFilesOf(load), ...(load.reset ?? [])] : []),
    ]),
  ],
  readFiles: lookIntoFiles,
  loadFiles: ({ load }) => (isOwnData(load) ? loadFilesOf(load) : []),
  loadedBy: ({ scale, load }) => (isOwnData(load) ? loadedByOwn(load) : { scale, load }),
  restores({ load = {} }) {
    if (!isOwnData(load) || !('snapshot' in load)) return null;
    const { snapshot, database, user } = load;
    return { snapshot, database, user };
  },
  // What of the user's own tables grows, nobody else knows.
  growingTable: ({ load }) => (isOwnData(load) ? null : 'pgbench_history'),
  identityWords,
  driver: driverNeeds,
  version: pgbenchVersion,
  async foresee(programs, { workload, ...where }) {
    demandOptions(await pgbenchVersion(programs), workload);
    const { demandReadable } = await import('./try-scripts.ts');
    const clients = Math.max(...[workload.clients].flat());
    await demandReadable(programs, { ...where, workload: { ...atLevel(workload), clients } });
  },
  refusedKeys,
  async open(options) {
    const { pgbenchGenerator } = await import('./generator.ts');
    return pgbenchGenerator({ ...options, workload: atLevel(options.workload) });
  },
  async outputReader() {
    const { isPgbenchOutput, runsIn } = await import('./output/parse-output.ts');
    return { recognises: isPgbenchOutput, parse: runsIn };
  },
  async readAgain(workload, folder, trial) {
    const { readAgain } = await import('./read-again.ts');
    return readAgain(atLevel(workload), folder, { ...trial, logged: logged(workload) });
  },
  // An output does not tell whether its clients waited for a schedule.
  measuresOf: (run) => measuresOfRun(run, { closedLoop: false }),
};

function logged(workload: DeclaredWorkload): LoggedLoad {
  const { scripts, rate, latencyLimitMs, samplingRate } = atLevel(workload);
  return {
    hasLag: rate !== undefined,
    scripts: scriptsApart(scripts),
    samplingRate,
    // As pgbench calculates it.
    latencyLimitMicros: latencyLimitMs === undefined ? undefined : Math.trunc(latencyLimitMs * 1000),
  };
}
