import { availableParallelism } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { loadExperiment } from '../../experiment/file/load.ts';
import { fewestBlocks, levelsOf } from '../../experiment/plan/design.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { isOn, secondsIn } from '../../experiment/rules/parameter-rules.ts';
import { exists } from '../../files/look.ts';
import { requireSafePath } from '../../files/open-folder.ts';
import { makeFolder, writeFileIn } from '../../files/write.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import { builtins } from '../../workloads/pgbench/schema.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { FailOnOptions } from '../options.ts';
import type { Io } from '../io.ts';
import { carryOutHere } from './carry-out-verb.ts';

/** A parameter with the values to compare; with one value, it is the same for all. */
export interface Setting {
  name: string;
  values: string[];
}

export interface TryOptions extends FailOnOptions {
  set: Setting[];
  script?: string;
  scale?: number;
  clients?: number;
  seconds?: number;
  keepFile?: string;
  out: string;
  seed?: number;
  pgBindir?: string[];
  dryRun?: true;
  json?: true;
}

/**
 * `pgduet try`: makes the experiment that compares these settings on this machine, shows it, and carries it out like
 * any other.
 */
export async function trySettings(options: TryOptions, io: Io): Promise<void> {
  const file = path.resolve(io.workingFolder, options.keepFile ?? `${nameOf(options.set)}.yaml`);
  if (options.keepFile !== undefined) requireNewExperiment(file, options.keepFile);
  const text = experimentText(file, options, io);
  io.stderr.write(
    `This stands for the experiment file ${path.basename(file)}:\n\n${text.replaceAll(/^(?=.)/gm, '  ')}\n`,
  );
  if (options.keepFile !== undefined && !options.dryRun) {
    makeFolder(path.dirname(file));
    await writeFileIn(path.dirname(file), path.basename(file), text);
  }
  await carryOutHere({ file, text }, { load: true, run: true }, { ...options, local: true }, io);
  io.signal.throwIfAborted();
  if (options.dryRun) return;
  const repeat = options.keepFile ?? path.join(options.out, path.basename(file, '.yaml'), 'latest');
  io.stderr.write(`${wrapLines(`Again: npx pgduet load-run ${repeat} --local`, io.errorColumns)}\n`);
}

function requireNewExperiment(file: string, shown: string): void {
  if (!file.endsWith('.yaml')) throw new UserError(`--keep-file ${shown}: expected the path of a new file NAME.yaml.`);
  if (exists(file)) throw new UserError(`--keep-file ${shown}: this file exists already. Choose another name.`);
  requireSafePath(path.dirname(file), 'choose another folder');
}

/** Ten minutes, load and all, is what a try may take. */
const mostSeconds = 600;

/**
 * The text of the experiment. It measures until there is a verdict, with as many blocks at most as there is time for;
 * this number is fixed before anything is measured.
 *
 * @throws {UserError} with everything that is wrong with the settings
 */
function experimentText(file: string, options: TryOptions, io: Io): string {
  const textWith = (blocks: number, repeats: number): string =>
    `# ${commandOf(options)}\n${stringify(experimentFor(file, { blocks, repeats }, options, io), { lineWidth: 110 })}`;
  const { experiment, profile } = loadExperiment(
    { file, text: textWith(30, 0) },
    { folder: io.workingFolder, profile: 'local', seed: 1 },
  );
  const { steps, expectedSeconds } = makePlan(experiment, profile);
  const measured = steps.reduce((sum, step) => sum + (step.kind === 'measure' ? (step.expectedSeconds ?? 0) : 0), 0);
  const affordable = Math.floor(
    (mostSeconds - ((expectedSeconds ?? 0) - measured)) / (measured / experiment.protocol.blocks),
  );
  const fewest = fewestBlocks(experiment);
  const warnings = [
    ...(affordable < fewest
      ? [
          `even ${fewest} blocks, the fewest for a verdict, take longer than the ten minutes of a try. Compare fewer values, or shorten the trials (--seconds).`,
        ]
      : []),
    ...unreachedTimeout(options.set, experiment),
  ];
  for (const warning of warnings) io.stderr.write(`${wrapLines(`warning: ${warning}`, io.errorColumns)}\n\n`);
  // On a machine that is busy now and then, a fifth of the time is for blocks that are measured again.
  const repeats = Math.max(2, Math.floor(affordable / 5));
  return textWith(Math.max(affordable - repeats, fewest), repeats);
}

/**
 * Warns if no trial lasts until a timed checkpoint: the reset before a trial makes a checkpoint, from which the time
 * counts. Unless the load writes enough WAL, no trial then shows what checkpoint_timeout does.
 */
function unreachedTimeout(set: readonly Setting[], { protocol, workload }: Experiment): string[] {
  const timeouts = set.find(({ name, values }) => name === 'checkpoint_timeout' && values.length > 1)?.values ?? [];
  const seconds = timeouts.map((value) => secondsIn(value) ?? 0);
  const { durationSeconds } = toolOf(workload).shape(workload);
  const longest = protocol.warmUpSeconds + protocol.phaseSeconds + (durationSeconds ?? Infinity);
  if (timeouts.length === 0 || Math.min(...seconds) < longest) return [];
  return [
    `a checkpoint precedes each trial, and the trial ends within ${longest} s, before any checkpoint_timeout here. If WAL does not begin a checkpoint either, there will be no verdict. Compare shorter times, or lengthen the trials (--seconds).`,
  ];
}

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

/** What the experiment file holds. */
function experimentFor(
  file: string,
  { blocks, repeats }: { blocks: number; repeats: number },
  options: TryOptions,
  io: Io,
): object {
  const varied = options.set.filter(({ values }) => values.length > 1);
  if (varied.length === 0) {
    const [first] = options.set;
    throw new UserError(
      `--set ${first?.name}=${first?.values.join()} compares nothing. Give two values or more, the present one first: --set synchronous_commit=on,off.`,
    );
  }
  requireAutovacuum(options.set);
  const fixed = options.set.filter((one) => !varied.includes(one));
  const sizes = varied.some(({ name }) => ofCheckpoints.includes(name)) ? throughCheckpoints : usual;
  const { script = 'simple-update', scale = sizes.scale, clients = 4, seconds = sizes.seconds } = options;
  const variants = variantsOf(varied);
  return {
    name: path.basename(file, '.yaml'),
    question: `Does throughput depend on ${varied.map(({ name, values }) => `${name} (${values.join(' or ')})`).join(' and ')}?`,
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
      durationSeconds: seconds,
      scripts: [
        builtins.some((name) => name === script)
          ? { builtin: script }
          : { file: path.relative(path.dirname(file), path.resolve(io.workingFolder, script)) },
      ],
    },
    protocol: {
      blocks,
      repeats,
      until: 'verdict',
      warmUpSeconds: sizes.warmUpSeconds,
      ...(sizes.phaseSeconds > 0 && { phaseSeconds: sizes.phaseSeconds }),
    },
    // load-run --local takes this profile; it changes nothing.
    profiles: { local: {} },
  };
}

/** A try switches autovacuum off. Then its other parameters do nothing, and every answer would be: equivalent. */
function requireAutovacuum(set: readonly Setting[]): void {
  const idle = set.find(({ name }) => name.startsWith('autovacuum_') || name === 'log_autovacuum_min_duration');
  const hasAutovacuum = set.some(({ name, values }) => name === 'autovacuum' && values.some(isOn));
  if (!idle || hasAutovacuum) return;
  throw new UserError(
    `--set ${idle.name}=${idle.values.join()} changes nothing, since autovacuum is off in a try. Add --set autovacuum=on, and trials that are long enough for autovacuum to run (--seconds).`,
  );
}

/** A variant for each combination of the values; the first has the first value of each, and is the baseline. */
function variantsOf(varied: readonly Setting[]): Record<string, object> {
  const combinations = levelsOf(Object.fromEntries(varied.map(({ name, values }) => [name, values])));
  const names = namesOf(combinations);
  return Object.fromEntries(
    combinations.map((parameters, index) => [
      names[index] ?? '',
      {
        description: Object.entries(parameters)
          .map(([name, value]) => `${name} ${value}`)
          .join(', '),
        engine: { parameters },
      },
    ]),
  );
}

const longestName = 40;

/** Names for the variants, as telling as is possible within the length that names may have. */
function namesOf(combinations: readonly Record<string, string | number>[]): string[] {
  const initials = (name: string): string =>
    name
      .split('_')
      .map((word) => word.charAt(0))
      .join('');
  const schemes = [
    (parameters: Record<string, string | number>) => Object.entries(parameters).flat(),
    (parameters: Record<string, string | number>) =>
      Object.entries(parameters).flatMap(([name, value]) => [initials(name), value]),
  ];
  const made = schemes.map((partsOf) => combinations.map((parameters) => nameFrom(partsOf(parameters))));
  const isUsable = (names: readonly string[]): boolean =>
    new Set(names).size === names.length && names.every((name) => name.length <= longestName);
  return made.find(isUsable) ?? combinations.map((_, index) => `settings-${index + 1}`);
}

/** The name of the experiment, and so of the folder of its results. */
function nameOf(set: readonly Setting[]): string {
  const name = nameFrom(['try', ...set.flatMap((one) => (one.values.length > 1 ? [one.name] : []))]);
  return name.slice(0, longestName).replace(/-+$/, '');
}

function nameFrom(parts: readonly (string | number)[]): string {
  return parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The command without what does not change the experiment, in one line for a shell. */
function commandOf({ set, script, scale, clients, seconds }: TryOptions): string {
  const words = [
    ...set.flatMap(({ name, values }) => ['--set', `${name}=${values.join()}`]),
    ...Object.entries({ script, scale, clients, seconds }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    ),
  ];
  const quoted = (word: string): string =>
    /^[\w=.,%+:/-]+$/.test(word) ? word : `'${word.replaceAll(/\s+/g, ' ').replaceAll("'", "'\\''")}'`;
  return ['npx', 'pgduet', 'try', ...words.map(quoted)].join(' ');
}
