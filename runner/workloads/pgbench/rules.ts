import path from 'node:path';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import type { ExperimentAround } from '../tool.ts';
import { endsTries } from './arguments.ts';
import { loadProblems } from './levels.ts';
import type { DeclaredRun } from './schema.ts';
import { scriptName } from './script-mix.ts';
import { transactionLog } from './transaction-log.ts';

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
