import path from 'node:path';
import type { ExperimentAround, ToolDefinition } from '../extras.ts';
import { type DeclaredRun, listed, loadProblems, resolveLevel } from './schema.ts';
import type { Workload } from '../../contract/experiment/schema.ts';
import type { LoggedLoad } from '../../contract/tool-output.ts';
import { driverNeeds, pgbenchVersion, requireOptions } from './driver.ts';
import { conditions, identityWords, measuresOfRun, scriptName, scriptsApart } from './measures.ts';
import { isOfLog, transactionLog } from './transaction-log.ts';
import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import { readTextWhole } from '../../files/read.ts';
import { sumOf } from '../../files/sums.ts';
import { endsTries } from './arguments.ts';

/**
 * What tools share whose load pgbench carries out.
 *
 * @param asRun the load in the terms of pgbench
 */
export function loadByPgbench<W extends Workload>(asRun: (workload: W) => DeclaredRun) {
  function logged(workload: W): LoggedLoad {
    const { scripts, rate, latencyLimitMs, samplingRate } = resolveLevel(asRun(workload));
    return {
      hasLag: rate !== undefined,
      scripts: scriptsApart(scripts),
      samplingRate,
      // As pgbench calculates it.
      latencyLimitMicros: latencyLimitMs === undefined ? undefined : Math.trunc(latencyLimitMs * 1000),
    };
  }
  return {
    throughput: 'tps',
    collectors: [transactionLog],
    listed,
    shape(workload) {
      const { clients, transactions, durationSeconds = null, rate = null, scripts } = resolveLevel(asRun(workload));
      return {
        clients,
        limit: durationSeconds === null ? 'transactions' : 'time',
        transactions: transactions === undefined ? null : transactions * clients,
        durationSeconds,
        offeredPerSecond: rate,
        ...readsOf(scripts),
      };
    },
    logged,
    prepares: (workload) => (asRun(workload).queryMode === 'prepared' ? 'by-protocol' : 'never'),
    identityWords,
    conditions,
    driver: driverNeeds,
    version: pgbenchVersion,
    async reparse(workload, folder, trial) {
      const { reparse } = await import('./reparse.ts');
      return reparse(resolveLevel(asRun(workload)), folder, { ...trial, logged: logged(workload) });
    },
  } satisfies Partial<ToolDefinition<W>>;
}

/** What tools share that declare their whole load in the terms of pgbench. They differ in the data that they load. */
export const runDefinition = {
  ...loadByPgbench((workload: DeclaredRun) => workload),
  alternatives: [{ keys: ['transactions', 'durationSeconds'], takeBack: 'others' }],
  scripts: ({ scripts = [] }) => scriptsApart(scripts),
  statements,
  experimentProblems,
  whyUnmeasured: ({ latencyLimitMs, rate, reconnect, samplingRate = 1 }, metric, script) => {
    if (metric === 'latency.withinLimit' && latencyLimitMs === undefined) {
      return 'no latency limit; set workload.latencyLimitMs';
    }
    if (metric.startsWith('lag.') && rate === undefined) return 'no transaction has a schedule; set workload.rate';
    if (metric === 'latency.connection' && !reconnect) return 'clients stay connected; set workload.reconnect to true';
    if (samplingRate < 1 && isOfLog(metric, script)) {
      return 'its log is only a sample, so chance would affect the verdict; remove workload.samplingRate';
    }
    return null;
  },
  async validateScripts(programs, { workload, ...where }) {
    await requireOptions(() => pgbenchVersion(programs, where), workload);
    const { requireReadable } = await import('./judge-scripts.ts');
    const clients = Math.max(...[workload.clients].flat());
    await requireReadable(programs, { ...where, workload: { ...resolveLevel(workload), clients } });
  },
  // An output does not say whether its clients waited for a schedule.
  measuresOf: (run) => measuresOfRun(run, { closedLoop: false }),
} satisfies Partial<ToolDefinition<DeclaredRun>>;

/** Of a script of the user's own, nothing is known. */
function readsOf(scripts: DeclaredRun['scripts']): { onlyReads?: boolean } {
  const builtins = scripts.flatMap((script) => ('builtin' in script ? script.builtin : []));
  if (builtins.some((builtin) => builtin !== 'select-only')) return { onlyReads: false };
  return builtins.length === scripts.length ? { onlyReads: true } : {};
}

/** Names of built-in scripts, and hashes of the user's own, in which blanks and lines of comments do not count. */
function statements({ scripts }: DeclaredRun, folder: string): string[] {
  return scripts.map((script) => {
    if ('builtin' in script) return script.builtin;
    const lines = readTextWhole(path.resolve(folder, script.file)).split('\n');
    const text = lines.filter((line) => !line.trimStart().startsWith('--')).join(' ');
    return sumOf(text.replaceAll(/\s+/g, ' ').trim()).slice(0, 16);
  });
}

/** Problems of a load: what pgbench would refuse, or what contradicts itself. */
export function runProblems(workload: Partial<DeclaredRun>): RuleProblem[] {
  const { transactions, durationSeconds, scripts = [], scale, variables = {} } = workload;
  // The path of one file may be written in several ways.
  const names = scripts.map((script) => path.normalize(scriptName(script)));
  const wholes = scripts.map((script) => ('file' in script ? path.normalize(script.file) : null));
  const isWithoutLength =
    'transactions' in workload && 'durationSeconds' in workload && (transactions ?? durationSeconds) === undefined;
  return [
    ...loadProblems(workload),
    ...problemUnless(
      'trial-length',
      !isWithoutLength,
      [],
      'trial length missing; set transactions (per client) or durationSeconds',
      'missing',
    ),
    ...problemUnless(
      'trial-length-twice',
      transactions === undefined || durationSeconds === undefined,
      ['transactions'],
      'the length is given twice; keep either this or durationSeconds',
    ),
    ...problemUnless(
      'endless-tries',
      workload.maxTries !== 0 || transactions === undefined || endsTries(workload),
      ['maxTries'],
      'pgbench accepts unlimited tries only with a time limit; expected a number of tries, durationSeconds in place of transactions, or latencyLimitMs',
    ),
    ...problemUnless(
      'script-scale',
      scale === undefined || !('scale' in variables) || Number(variables['scale']) === scale,
      ['variables', 'scale'],
      `the tables have scale ${scale}. With any other, scripts would query missing rows or skip some. Remove this: scripts get the table scale automatically`,
    ),
    ...names.flatMap((name, index) => {
      const first = names.indexOf(name);
      const message =
        wholes[first] === wholes[index]
          ? `${name} is listed twice; give it a weight instead`
          : `results would call two scripts ${name}; rename one of them`;
      return problemUnless('script-names', first === index, ['scripts', index], message);
    }),
  ];
}

/** Problems of a workload together with what is collected of it. */
export function experimentProblems(
  { samplingRate = 1 }: Partial<DeclaredRun>,
  { collect }: Pick<ExperimentAround, 'collect'>,
): RuleProblem[] {
  if (samplingRate === 1 || !collect || collect.includes(transactionLog.name)) return [];
  const message = `it sets a log sampling rate, but no log is collected; remove it, or add "${transactionLog.name}" to collect`;
  return [{ path: ['workload', 'samplingRate'], message }];
}
