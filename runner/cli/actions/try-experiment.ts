import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { nearest } from '../../experiment/file/near-words.ts';
import { isOn, twinsIn } from '../../experiment/rules/parameter-rules.ts';
import { exists, sizeOf } from '../../files/look.ts';
import { usableProcessors } from '../../machine/capacity.ts';
import { shellWord } from '../../report/view/repeat.ts';
import { dumpFormat } from '../../workloads/own-data/dump-format.ts';
import { builtins } from '../../workloads/pgbench/schema.ts';
import type { Io } from '../io.ts';
import { type Setting, type TryOptions, writtenSetting, writtenValue } from '../try-options.ts';
import type { TryTrials } from './try-fit.ts';
import { asLoaded, axesOf, type Combination, variantsOf } from './try-variants.ts';

/** Trials short enough for an answer in two minutes, on data that loads in seconds. */
const usual = { scale: 10, seconds: 5, warmUpSeconds: 1, phaseSeconds: 0 };

/**
 * What these parameters do shows from one checkpoint to the next. So pages are many enough that WAL of their images
 * brings checkpoints about, trials hold one, and each block begins at another phase of the cycle.
 */
const throughCheckpoints = { scale: 50, seconds: 20, warmUpSeconds: 2, phaseSeconds: 15 };
const checkpointSettings = [
  ...['max_wal_size', 'min_wal_size', 'wal_segment_size', 'wal_compression', 'full_page_writes'],
  ...['checkpoint_timeout', 'checkpoint_completion_target', 'checkpoint_flush_after'],
];

const defaultScript = 'simple-update';

/**
 * A client and its session work in turn, so each keeps one processor busy at most. With more clients than processors,
 * sessions wait for a processor, whatever the settings are.
 */
const defaultClients = Math.min(4, usableProcessors());

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
  const axes = axesOf(options);
  const fixed = options.set.filter(({ values }) => values.length === 1);
  const sizes = sizesFor(options);
  const { script = defaultScript, dump, version: [version] = [], clients = defaultClients } = options;
  const variants = variantsOf(combinations);
  const fromFile = (name: string): string => path.relative(path.dirname(file), path.resolve(io.workingFolder, name));
  return {
    name: path.basename(file, '.yaml'),
    question: `Does ${trials.metric === 'tps' ? 'throughput' : 'the time of a transaction'} depend on ${axes.map(({ words }) => words).join(' and ')}?`,
    common: {
      storage: { type: 'local' },
      // An idle neighbour must stay idle.
      engine: {
        ...(version !== undefined && options.version?.length === 1 && { version }),
        parameters: { autovacuum: false, ...Object.fromEntries(fixed.map(({ name, values }) => [name, values[0]])) },
      },
    },
    variants,
    baseline: Object.keys(variants)[0],
    workload: {
      ...(dump === undefined
        ? { tool: 'pgbench', scale: options.scale ?? sizes.scale }
        : {
            tool: 'own-data',
            load: { dump: fromFile(dump), sizeGib: guessedGib(path.resolve(io.workingFolder, dump)) },
          }),
      clients,
      threads: Math.min(clients, usableProcessors()),
      durationSeconds: trials.seconds,
      scripts: [isBuiltin(script) ? { builtin: script } : { file: fromFile(script) }],
    },
    protocol: {
      ...protocol,
      until: 'verdict',
      stopForFutility: true,
      warmUpSeconds: trials.warmUpSeconds,
      ...(sizes.phaseSeconds > 0 && { phaseSeconds: sizes.phaseSeconds }),
    },
    ...(trials.metric !== 'tps' && { decision: { metric: trials.metric } }),
    // load-run --local takes this profile; it changes nothing.
    profiles: { local: {} },
  };
}

/** The usual amount of data and length of trials for what the options vary. */
export function sizesFor(options: TryOptions): typeof usual {
  return axesOf(options).some(({ name }) => checkpointSettings.includes(name)) ? throughCheckpoints : usual;
}

/** A dump has no indexes, and an archive is compressed: a guess at how much larger the data is. */
const [textGrowth, archiveGrowth] = [1.5, 6];

/** How large the data of a dump may be, for the times of a plan: nobody knows before it is loaded. */
function guessedGib(dump: string): number {
  const gib = (sizeOf(dump) / 2 ** 30) * (dumpFormat(dump, dump) === 'plain' ? textGrowth : archiveGrowth);
  return Number(Math.max(0.01, gib).toPrecision(2));
}

/** @throws {UserError} if the options compare nothing, contradict each other, or name a file that does not exist */
export function requireMeaningful(options: TryOptions, io: Io): void {
  const { set, version = [], prepare, baseline, dump, scale, script = defaultScript } = options;
  for (const setting of set) requireDifferentValues(setting);
  requireBaseline(prepare, baseline);
  requireOtherName(prepare);
  if (axesOf(options).length === 0) {
    const passed = [
      ...set.map((setting) => `--set ${writtenSetting(setting)}`),
      ...version.map((one) => `--version ${one}`),
    ];
    throw new UserError(
      `${passed.length === 0 ? 'This' : passed.join(' ')} compares nothing. Give two values or more, the present one first: --set synchronous_commit=on,off, or --version 15,17. Or give SQL to compare with the data as loaded: --prepare 'index: CREATE INDEX ON purchase (customer)'.`,
    );
  }
  requireOnce('--version', version);
  requireOnce(
    '--prepare',
    prepare.map(({ name }) => name),
  );
  requireAutovacuum(set);
  if (dump !== undefined) {
    if (!exists(path.resolve(io.workingFolder, dump))) throw new UserError(`--dump ${dump}: there is no such file.`);
    if (isBuiltin(script)) {
      throw new UserError(
        `--dump ${dump} needs a script with statements for its tables: --script FILE. Built-in scripts are for pgbench’s tables.`,
      );
    }
    if (scale !== undefined) {
      throw new UserError(
        `--scale ${scale} is the size of pgbench’s tables, which --dump replaces. Leave out one of them.`,
      );
    }
  }
  if (!isBuiltin(script) && !exists(path.resolve(io.workingFolder, script))) {
    const remedy =
      nearest(script, builtins, (near) => `Did you mean ${near}?`) ||
      `Give the path of a file, or one of the built-in scripts: ${builtins.join(', ')}.`;
    throw new UserError(`--script ${script}: there is no such file, and no such built-in script. ${remedy}`);
  }
}

/** Whether the user wrote the script, so that nothing is known of how long it takes. */
export function isOwnScript({ script = defaultScript }: Pick<TryOptions, 'script'>): boolean {
  return !isBuiltin(script);
}

function isBuiltin(script: string): boolean {
  return builtins.some((name) => name === script);
}

/** A baseline is one of two preparations or more. */
function requireBaseline(prepare: TryOptions['prepare'], baseline: string | undefined): void {
  if (baseline === undefined) return;
  const names = prepare.map(({ name }) => name);
  if (!names.includes(baseline)) {
    const expectation = names.length === 0 ? 'there is none' : `expected one of ${names.join(', ')}`;
    throw new UserError(`--baseline ${baseline} is not the name of a --prepare: ${expectation}.`);
  }
  if (names.length === 1) {
    throw new UserError(
      `--baseline ${baseline} leaves nothing to compare it with. Add another --prepare, or leave out --baseline to compare with the data as loaded.`,
    );
  }
}

/** A variant that is prepared must not have the name of the data as loaded. */
function requireOtherName(prepare: TryOptions['prepare']): void {
  if (!prepare.some(({ name }) => name === asLoaded)) return;
  throw new UserError(
    `--prepare ${asLoaded}: this is the name of the data without any preparation. Give the preparation another name.`,
  );
}

/** Two variants with the same settings would end as: equivalent. */
function requireDifferentValues(setting: Setting): void {
  const twins = twinsIn(setting.name, setting.values);
  if (!twins) return;
  const [one, other] = twins.map(writtenValue);
  const what = one === other ? `${one} is given twice` : `${one} and ${other} are the same value to PostgreSQL`;
  throw new UserError(`--set ${writtenSetting(setting)}: ${what}. Leave one of them out.`);
}

function requireOnce(option: string, passed: readonly string[]): void {
  const twice = passed.find((one, index) => passed.indexOf(one) < index);
  if (twice !== undefined) throw new UserError(`${option} has ${twice} twice. Leave one of them out.`);
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

/** The command without what changes neither the experiment nor its servers, in one line for a shell. */
export function commandOf({
  set,
  version,
  prepare,
  baseline,
  dump,
  script,
  scale,
  clients,
  seconds,
  quietMachine,
  pgBindir = [],
}: TryOptions): string {
  const passed: [option: string, value: string | number | undefined][] = [
    ...set.map((setting): [string, string] => ['set', writtenSetting(setting)]),
    ['version', version?.join()],
    ...prepare.map(({ name, sql }): [string, string] => ['prepare', `${name}: ${sql}`]),
    ...Object.entries({ baseline, dump, script, scale, clients, seconds, 'quiet-machine': quietMachine }),
    ...pgBindir.map((folder): [string, string] => ['pg-bindir', folder]),
  ];
  const words = passed.flatMap(([option, value]) =>
    value === undefined ? [] : `--${option} ${shellWord(String(value).replaceAll(/\s+/g, ' '))}`,
  );
  return [`${ownCommand} try`, ...words].join(' ');
}
