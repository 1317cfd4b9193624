import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { nearest } from '../../experiment/file/near-words.ts';
import { ExperimentProblems, type Problem } from '../../experiment/file/problems.ts';
import { isService } from '../../contract/experiment/variant.ts';
import { isOn, twinsIn } from '../../experiment/rules/parameter-rules.ts';
import { exists } from '../../files/look.ts';
import { builtins } from '../../workloads/pgbench/schema.ts';
import type { Io } from '../io.ts';
import { type Setting, type TryOptions, writtenSetting, writtenValue } from '../try-options.ts';
import { asLoaded, axesOf, defaultScript, isOwnScript } from './try-experiment.ts';

/** @throws {UserError} if the options compare nothing, contradict each other, or name a file that does not exist */
export function requireMeaningful(options: TryOptions, io: Io): void {
  const { set, version = [], prepare, baseline, server, dump, scale, script = defaultScript } = options;
  const isThere = (file: string): boolean => exists(path.resolve(io.workingFolder, file));
  const names = prepare.map(({ name }) => name);
  const twice = (option: string, passed: readonly string[]): string | undefined => {
    const found = passed.find((one, index) => passed.indexOf(one) < index);
    return found === undefined ? undefined : `${option} has ${found} twice. Remove one of them.`;
  };
  const mistakes: readonly (string | undefined | false)[] = [
    ...set.map(mistakeInValues),
    baseline !== undefined &&
      !names.includes(baseline) &&
      `--baseline ${baseline} is not the name of a --prepare: ${names.length === 0 ? 'there is none' : `expected one of ${names.join(', ')}`}.`,
    baseline !== undefined &&
      names.length === 1 &&
      `--baseline ${baseline} leaves nothing to compare it with. Add another --prepare, or omit --baseline to compare with the data as loaded.`,
    names.includes(asLoaded) && `--prepare ${asLoaded}: this names the data as loaded. Rename the preparation.`,
    axesOf(options).length === 0 && nothingCompared(options),
    server !== undefined &&
      !isService(server) &&
      // It may hold a password.
      '--server: expected the name of a service in pg_service.conf. Put its host, port, user and dbname into ~/.pg_service.conf, and its password into ~/.pgpass.',
    server !== undefined &&
      version.length > 0 &&
      `--version ${version.join()}: an existing server has its own version. Omit --version, or --server.`,
    twice('--version', version),
    twice('--prepare', names),
    server === undefined && idleOf(set),
    dump !== undefined && !isThere(dump) && `--dump ${dump}: there is no such file.`,
    dump !== undefined &&
      !isOwnScript(options) &&
      `--dump ${dump} needs a script with statements for its tables: --script FILE. Built-in scripts are for pgbench’s tables.`,
    dump !== undefined &&
      scale !== undefined &&
      `--scale ${scale} is the size of pgbench’s tables, which --dump replaces. Omit one of them.`,
    isOwnScript(options) &&
      !isThere(script) &&
      `--script ${script}: no such file or built-in script. ${
        nearest(script, builtins, (near) => `Did you mean ${near}?`) ||
        `Specify the path of a file, or one of the built-in scripts: ${builtins.join(', ')}.`
      }`,
  ];
  const first = mistakes.find((one) => typeof one === 'string');
  if (typeof first === 'string') throw new UserError(first);
}

function nothingCompared({ set, version = [] }: TryOptions): string {
  const passed = [
    ...set.map((setting) => `--set ${writtenSetting(setting)}`),
    ...version.map((one) => `--version ${one}`),
  ];
  return `${passed.length === 0 ? 'This' : passed.join(' ')} compares nothing. Specify two values or more, the current one first: --set synchronous_commit=on,off, or --version 15,17. Or specify SQL to compare with the data as loaded: --prepare 'index: CREATE INDEX ON purchase (customer)'.`;
}

/** Two variants with the same settings would end as: equivalent. */
function mistakeInValues(setting: Setting): string | undefined {
  const twins = twinsIn(setting.name, setting.values);
  if (!twins) return undefined;
  const [one, other] = twins.map(writtenValue);
  const what = one === other ? `${one} is given twice` : `${one} and ${other} are the same value to PostgreSQL`;
  return `--set ${writtenSetting(setting)}: ${what}. Remove one of them.`;
}

/** A try switches autovacuum off. Then its other parameters do nothing, and every answer would be: equivalent. */
function idleOf(set: readonly Setting[]): string | undefined {
  const idle = set.find(({ name }) => name.startsWith('autovacuum_') || name === 'log_autovacuum_min_duration');
  const hasAutovacuum = set.some(({ name, values }) => name === 'autovacuum' && values.some(isOn));
  if (!idle || hasAutovacuum) return undefined;
  return `--set ${writtenSetting(idle)} changes nothing, since autovacuum is off in a try. Add --set autovacuum=on, and trials that are long enough for autovacuum to run (--seconds).`;
}

/** Keys of the experiment file that options set. */
const optionsOfKeys: readonly (readonly [key: RegExp, option: string])[] = [
  [/^(?:common|variants\.[^.]+)\.engine\.parameters\.(.+)$/, '--set $1'],
  [/^(?:common|variants\.[^.]+)\.engine\.version$/, '--version'],
  [/^variants\.[^.]+\.prepare(\..*)?$/, '--prepare'],
  [/^(?:common|variants\.[^.]+)\.server(\..*)?$/, '--server'],
  [/^workload\.load(\..*)?$/, '--dump'],
  [/^name$/, '--keep-file'],
  [/^variants$/, '--set'],
  [/^workload\.scripts(\..*)?$/, '--script'],
  [/^workload\.scale$/, '--scale'],
  [/^workload\.(clients|threads)$/, '--clients'],
  [/^workload\.durationSeconds$/, '--seconds'],
];

/** The same error for a user who wrote options and no experiment file: a mistake is that of an option. */
export function inOptions(error: unknown): unknown {
  return error instanceof ExperimentProblems ? new UserError(mistakes(error.problems), { cause: error }) : error;
}

function optionOf(key: string): string | null {
  const [pattern, option] = optionsOfKeys.find(([one]) => one.test(key)) ?? [];
  return pattern && option !== undefined ? key.replace(pattern, option) : null;
}

/** A line for each mistake. Values of one option with the same mistake share a line. */
function mistakes(problems: readonly Problem[]): string {
  const values = new Map<string, { head: string; wrong: string[]; message: string }>();
  for (const { path, line: _, column: __, value, ...mistake } of problems) {
    const head = optionOf(path) ?? path;
    const key = JSON.stringify([head, mistake]);
    const wrong = values.get(key)?.wrong ?? [];
    const isNew = value !== undefined && !wrong.includes(value);
    values.set(key, { head, wrong: isNew ? [...wrong, value] : wrong, message: mistake.message });
  }
  return [...values.values()]
    .map(({ head, wrong, message }) => [head, ...(wrong.length > 0 ? [wrong.join(', ')] : []), message].join(': '))
    .join('\n');
}
