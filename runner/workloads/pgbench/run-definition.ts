import type { LoggedLoad } from '../../contract/tool-output.ts';
import type { Tool } from '../tool.ts';
import { demandOptions, driverNeeds, pgbenchVersion } from './driver.ts';
import { atLevel, loadAxes } from './levels.ts';
import { identityWords, measuresOfRun } from './measures.ts';
import { experimentProblems } from './rules.ts';
import type { DeclaredRun } from './schema.ts';
import { scriptsApart } from './script-mix.ts';
import { isOfLog, transactionLog } from './transaction-log.ts';

/** What tools have in common whose whole load is declared in the words of pgbench. They differ in the data that they load. */
export const runDefinition = {
  alternatives: [{ keys: ['transactions', 'durationSeconds'], takeBack: 'others' }],
  metrics: [],
  throughput: 'tps',
  collectors: [transactionLog],
  axes: loadAxes,
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
  identityWords,
  driver: driverNeeds,
  version: pgbenchVersion,
  async foresee(programs, { workload, ...where }) {
    demandOptions(await pgbenchVersion(programs, where), workload);
    const { demandReadable } = await import('./try-scripts.ts');
    const clients = Math.max(...[workload.clients].flat());
    await demandReadable(programs, { ...where, workload: { ...atLevel(workload), clients } });
  },
  async readAgain(workload, folder, trial) {
    const { readAgain } = await import('./read-again.ts');
    return readAgain(atLevel(workload), folder, { ...trial, logged: logged(workload) });
  },
  // An output does not tell whether its clients waited for a schedule.
  measuresOf: (run) => measuresOfRun(run, { closedLoop: false }),
} satisfies Partial<Tool<DeclaredRun>>;

function logged(workload: DeclaredRun): LoggedLoad {
  const { scripts, rate, latencyLimitMs, samplingRate } = atLevel(workload);
  return {
    hasLag: rate !== undefined,
    scripts: scriptsApart(scripts),
    samplingRate,
    // As pgbench calculates it.
    latencyLimitMicros: latencyLimitMs === undefined ? undefined : Math.trunc(latencyLimitMs * 1000),
  };
}
