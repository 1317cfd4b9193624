import { availableParallelism } from 'node:os';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { nearest } from '../../experiment/file/problems.ts';
import { isOn, twinsIn } from '../../experiment/rules/parameter-rules.ts';
import { exists } from '../../files/look.ts';
import { builtins } from '../../workloads/pgbench/schema.ts';
import type { Io } from '../io.ts';
import { type Setting, type TryOptions, writtenSetting, writtenValue } from '../try-options.ts';
import type { TryTrials } from './try-fit.ts';

/** Trials short enough for an answer in two minutes, on data that loads in seconds. */
const usual = { scale: 10, seconds: 5, warmUpSeconds: 1, phaseSeconds: 0 };

/**
 * What these parameters do shows from one checkpoint to the next. So pages are many enough that WAL of their images
 * brings checkpoints about, trials hold one, and each block begins at another phase of the cycle.
 */
const throughCheckpoints = { scale: 50, seconds: 20, warmUpSeconds: 2, phaseSeconds: 15 };
const ofCheckpoints = [
  ...['max_wal_size', 'min_wal_size', 'wal_segment_size', 'wal_compression', 'full_page_writes'],
  ...['checkpoint_timeout', 'checkpoint_completion_target', 'checkpoint_flush_after'],
];

const usualScript = 'simple-update';

/** What the experiment file of a try holds, with these combinations of values; the first one is the baseline. */
export function experimentFor(
  {
    file,
    protocol,
    combinations,
    trials,
  }: { file: string; protocol: { blocks: number }; combinations: readonly Combination[]; trials: TryTrials },
  options: TryOptions,
  io: Io,
): object {
  const varied = variedIn(options.set);
  const fixed = options.set.filter((one) => !varied.includes(one));
  const sizes = sizesFor(options);
  const { script = usualScript, scale = sizes.scale, clients = 4 } = options;
  const variants = variantsOf(combinations);
  return {
    name: path.basename(file, '.yaml'),
    question: `Does ${trials.metric === 'tps' ? 'throughput' : 'the time of a transaction'} depend on ${varied.map(({ name, values }) => `${name} (${values.map(writtenValue).join(' or ')})`).join(' and ')}?`,
    common: {
      storage: { type: 'local' },
      // An idle neighbour must stay idle.
      engine: {
        parameters: { autovacuum: false, ...Object.fromEntries(fixed.map(({ name, values }) => [name, values[0]])) },
      },
    },
    variants,
    baseline: Object.keys(variants)[0],
    workload: {
      tool: 'pgbench',
      scale,
      clients,
      threads: Math.min(clients, availableParallelism()),
      durationSeconds: trials.seconds,
      scripts: [
        isBuiltin(script)
          ? { builtin: script }
          : { file: path.relative(path.dirname(file), path.resolve(io.workingFolder, script)) },
      ],
    },
    protocol: {
      ...protocol,
      until: 'verdict',
      warmUpSeconds: trials.warmUpSeconds,
      ...(sizes.phaseSeconds > 0 && { phaseSeconds: sizes.phaseSeconds }),
    },
    ...(trials.metric !== 'tps' && { decision: { metric: trials.metric } }),
    // load-run --local takes this profile; it changes nothing.
    profiles: { local: {} },
  };
}

/** The usual amount of data and length of trials for what the options vary. */
export function sizesFor({ set }: Pick<TryOptions, 'set'>): typeof usual {
  return variedIn(set).some(({ name }) => ofCheckpoints.includes(name)) ? throughCheckpoints : usual;
}

/** @throws {UserError} if the options compare nothing, or if their script does not exist */
export function requireMeaningful({ set, script = usualScript }: TryOptions, io: Io): void {
  for (const setting of set) requireDifferentValues(setting);
  const [first] = set;
  if (first && variedIn(set).length === 0) {
    throw new UserError(
      `--set ${writtenSetting(first)} compares nothing. Give two values or more, the present one first: --set synchronous_commit=on,off.`,
    );
  }
  requireAutovacuum(set);
  if (!isBuiltin(script) && !exists(path.resolve(io.workingFolder, script))) {
    const remedy =
      nearest(script, builtins, (near) => `Did you mean ${near}?`) ||
      `Give the path of a file, or one of the built-in scripts: ${builtins.join(', ')}.`;
    throw new UserError(`--script ${script}: there is no such file, and no such built-in script. ${remedy}`);
  }
}

function isBuiltin(script: string): boolean {
  return builtins.some((name) => name === script);
}

/** Two variants with the same settings would end as: equivalent. */
function requireDifferentValues(setting: Setting): void {
  const twins = twinsIn(setting.name, setting.values);
  if (!twins) return;
  const [one, other] = twins.map(writtenValue);
  const what = one === other ? `${one} is given twice` : `${one} and ${other} are the same value to PostgreSQL`;
  throw new UserError(`--set ${writtenSetting(setting)}: ${what}. Leave one of them out.`);
}

/** A try switches autovacuum off. Then its other parameters do nothing, and every answer would be: equivalent. */
function requireAutovacuum(set: readonly Setting[]): void {
  const idle = set.find(({ name }) => name.startsWith('autovacuum_') || name === 'log_autovacuum_min_duration');
  const hasAutovacuum = set.some(({ name, values }) => name === 'autovacuum' && values.some(isOn));
  if (!idle || hasAutovacuum) return;
  throw new UserError(
    `--set ${writtenSetting(idle)} changes nothing, since autovacuum is off in a try. Add --set autovacuum=on, and trials that are long enough for autovacuum to run (--seconds).`,
  );
}

function variedIn(set: readonly Setting[]): Setting[] {
  return set.filter(({ values }) => values.length > 1);
}

/** A value of each parameter that is varied. */
type Combination = Readonly<Record<string, string>>;

/**
 * Every combination of the values, of which there may be far too many to hold: their number, and the first ones. The
 * very first has the first value of each, and the last parameter changes fastest.
 */
export function combinationsOf(set: readonly Setting[]): { count: number; first: (count: number) => Combination[] } {
  const varied = variedIn(set);
  const at = (index: number): Combination => {
    let rest = index;
    const values = varied.toReversed().map(({ name, values: all }): [string, string] => {
      const value = all[rest % all.length] ?? '';
      rest = Math.floor(rest / all.length);
      return [name, value];
    });
    return Object.fromEntries(values.reverse());
  };
  return {
    count: varied.reduce((count, { values }) => count * values.length, 1),
    first: (count) => Array.from({ length: count }, (_, index) => at(index)),
  };
}

/** A variant for each of the combinations. */
function variantsOf(combinations: readonly Combination[]): Record<string, object> {
  const names = namesOf(combinations);
  return Object.fromEntries(
    combinations.map((parameters, index) => [
      names[index] ?? '',
      {
        description: Object.entries(parameters)
          .map(([name, value]) => `${name} ${writtenValue(value)}`)
          .join(', '),
        engine: { parameters },
      },
    ]),
  );
}

const longestName = 40;

/** Names for the variants, as telling as is possible within the length that names may have. */
function namesOf(combinations: readonly Combination[]): string[] {
  const initials = (name: string): string =>
    name
      .split('_')
      .map((word) => word.charAt(0))
      .join('');
  const schemes = [
    (parameters: Combination) => Object.entries(parameters).flat(),
    (parameters: Combination) => Object.entries(parameters).flatMap(([name, value]) => [initials(name), value]),
  ];
  const made = schemes.map((partsOf) => combinations.map((parameters) => nameFrom(partsOf(parameters))));
  const isUsable = (names: readonly string[]): boolean =>
    new Set(names).size === names.length && names.every((name) => name.length <= longestName);
  return made.find(isUsable) ?? combinations.map((_, index) => `settings-${index + 1}`);
}

/** The name of the experiment, and so of the folder of its results. */
export function experimentName(set: readonly Setting[]): string {
  const name = nameFrom(['try', ...variedIn(set).map((one) => one.name)]);
  return name.slice(0, longestName).replace(/-+$/, '');
}

function nameFrom(parts: readonly string[]): string {
  return parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The command without what does not change the experiment, in one line for a shell. */
export function commandOf({ set, script, scale, clients, seconds }: TryOptions): string {
  const words = [
    ...set.flatMap((setting) => ['--set', writtenSetting(setting)]),
    ...Object.entries({ script, scale, clients, seconds }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    ),
  ];
  const quoted = (word: string): string =>
    /^[\w=.,%+:/-]+$/.test(word) ? word : `'${word.replaceAll(/\s+/g, ' ').replaceAll("'", "'\\''")}'`;
  return ['npx', 'pgduet', 'try', ...words.map(quoted)].join(' ');
}
