import path from 'node:path';
import type { LoggedLoad } from '../../contract/tool-output.ts';
import type { ExperimentAround, Tool } from '../tool.ts';
import { requireOptions, driverNeeds, pgbenchVersion } from './driver.ts';
import { resolveLevel, type DeclaredRun, loadAxes, loadProblems } from './schema.ts';
import { identityWords, measuresOfRun } from './measures.ts';
import { scriptName, scriptsApart } from './words.ts';
import { isOfLog, transactionLog } from './transaction-log.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { endsTries } from './arguments.ts';

/** What tools have in common whose whole load is declared in the words of pgbench. They differ in the data that they load. */
export const runDefinition = {
  alternatives: [{ keys: ['transactions', 'durationSeconds'], takeBack: 'others' }],
  metrics: [],
  throughput: 'tps',
  collectors: [transactionLog],
  axes: loadAxes,
  shape(workload) {
    const { clients, transactions, durationSeconds = null, rate = null } = resolveLevel(workload);
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
    requireOptions(await pgbenchVersion(programs, where), workload);
    const { requireReadable } = await import('./try-scripts.ts');
    const clients = Math.max(...[workload.clients].flat());
    await requireReadable(programs, { ...where, workload: { ...resolveLevel(workload), clients } });
  },
  async readAgain(workload, folder, trial) {
    const { readAgain } = await import('./read-again.ts');
    return readAgain(resolveLevel(workload), folder, { ...trial, logged: logged(workload) });
  },
  // An output does not tell whether its clients waited for a schedule.
  measuresOf: (run) => measuresOfRun(run, { closedLoop: false }),
} satisfies Partial<Tool<DeclaredRun>>;

function logged(workload: DeclaredRun): LoggedLoad {
  const { scripts, rate, latencyLimitMs, samplingRate } = resolveLevel(workload);
  return {
    hasLag: rate !== undefined,
    scripts: scriptsApart(scripts),
    samplingRate,
    // As pgbench calculates it.
    latencyLimitMicros: latencyLimitMs === undefined ? undefined : Math.trunc(latencyLimitMs * 1000),
  };
}

/** Problems of a load: what pgbench would refuse, or what contradicts itself. */
export function runProblems(workload: Partial<DeclaredRun>): RuleProblem[] {
  const { transactions, durationSeconds, scripts = [], scale, variables = {} } = workload;
  // One file may be written in several ways.
  const names = scripts.map((script) => path.normalize(scriptName(script)));
  const wholes = scripts.map((script) => ('file' in script ? path.normalize(script.file) : null));
  return [
    ...loadProblems(workload),
    ...('transactions' in workload &&
    'durationSeconds' in workload &&
    transactions === undefined &&
    durationSeconds === undefined
      ? [
          {
            path: [],
            showValue: false,
            message: 'says no length of a trial; give transactions (of each client) or durationSeconds',
          },
        ]
      : []),
    ...(transactions !== undefined && durationSeconds !== undefined
      ? [{ path: ['transactions'], message: 'the length is said twice; keep either this or durationSeconds' }]
      : []),
    ...(workload.maxTries === 0 && transactions !== undefined && !endsTries(workload)
      ? [
          {
            path: ['maxTries'],
            message:
              'pgbench tries without limit only where a time ends it; expected a number of tries, durationSeconds in place of transactions, or latencyLimitMs',
          },
        ]
      : []),
    ...(scale !== undefined && 'scale' in variables && Number(variables['scale']) !== scale
      ? [
          {
            path: ['variables', 'scale'],
            message: `built-in scripts, too, would look for rows that are not there, or leave out some that are; the tables have a scale of ${scale}, which scripts get without this`,
          },
        ]
      : []),
    ...names.flatMap((name, index) =>
      names.indexOf(name) < index
        ? [
            {
              path: ['scripts', index],
              message:
                wholes[names.indexOf(name)] === wholes[index]
                  ? `${name} is listed twice; give it a weight instead`
                  : `results would call two scripts ${name}; rename one of them`,
            },
          ]
        : [],
    ),
  ];
}

/** Problems of a workload together with what is collected of it. */
export function experimentProblems(
  { samplingRate = 1 }: Partial<DeclaredRun>,
  { collect }: Pick<ExperimentAround, 'collect'>,
): RuleProblem[] {
  if (samplingRate === 1 || !collect || collect.includes(transactionLog.name)) return [];
  const message = `it is the part of the transactions in a log that is not collected; leave it out, or add "${transactionLog.name}" to collect`;
  return [{ path: ['workload', 'samplingRate'], message }];
}
