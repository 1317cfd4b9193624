import path from 'node:path';
import { sizeOf } from '../../files/look.ts';
import { usableProcessors } from '../../machine/capacity.ts';
import { dumpFormat } from '../../workloads/own-data/dump-format.ts';
import { builtins } from '../../workloads/pgbench/schema.ts';
import type { Io } from '../io.ts';
import { type Preparation, type TryOptions, writtenValue } from '../try-options.ts';
import type { TryTrials } from './try-plan.ts';

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

export const defaultScript = 'simple-update';

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
  const same = Object.fromEntries(fixed.map(({ name, values }) => [name, values[0]]));
  const onServer = options.server !== undefined;
  return {
    name: path.basename(file, '.yaml'),
    question: `Does ${trials.metric === 'tps' ? 'throughput' : 'the time of a transaction'} depend on ${axes.map(({ words }) => words).join(' and ')}?`,
    common: {
      ...(onServer ? { server: { service: options.server } } : { storage: { type: 'local' } }),
      engine: {
        ...(version !== undefined && options.version?.length === 1 && { version }),
        // An idle neighbour must stay idle. An existing server keeps its autovacuum.
        parameters: { ...(onServer ? {} : { autovacuum: false }), ...same },
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

/** Whether the user wrote the script, so that nothing is known of how long it takes. */
export function isOwnScript({ script = defaultScript }: Pick<TryOptions, 'script'>): boolean {
  return !isBuiltin(script);
}

function isBuiltin(script: string): boolean {
  return builtins.some((name) => name === script);
}

/** Something that a try varies. */
interface Axis {
  name: string;
  /** As part of the question. */
  words: string;
  /** The present one first. */
  values: readonly AxisValue[];
}

interface AxisValue {
  /** Parts of the name of a variant, and the same in fewer letters. */
  name: readonly string[];
  shortName: readonly string[];
  description: string;
  /** What it sets for a variant. */
  parameters?: Readonly<Record<string, string>>;
  version?: string;
  prepare?: readonly string[];
}

/** A value of each axis. */
export type Combination = readonly AxisValue[];

/** The name of the data without any preparation. */
export const asLoaded = 'as-loaded';

/** What these options vary: settings, the version, and what is run after loading. */
export function axesOf({
  set,
  version = [],
  ...options
}: Pick<TryOptions, 'set' | 'version' | 'prepare' | 'baseline'>): Axis[] {
  const prepared = preparedValues(options);
  return [
    ...set
      .filter(({ values }) => values.length > 1)
      .map(({ name, values }) => ({
        name,
        words: `${name} (${values.map(writtenValue).join(' or ')})`,
        values: values.map((value) => ({
          name: [name, value],
          shortName: [initialsOf(name), value],
          description: `${name} ${writtenValue(value)}`,
          parameters: { [name]: value },
        })),
      })),
    ...(version.length > 1
      ? [
          {
            name: 'version',
            words: `the PostgreSQL version (${version.join(' or ')})`,
            values: version.map((one) => ({
              name: ['version', one],
              shortName: ['v', one],
              description: `PostgreSQL ${one}`,
              version: one,
            })),
          },
        ]
      : []),
    ...(prepared.length > 1
      ? [
          {
            name: options.prepare.map(({ name }) => name).join('-'),
            words: `the preparation of the data (${prepared.map(({ name }) => name.join('')).join(' or ')})`,
            values: prepared,
          },
        ]
      : []),
  ];
}

/** Ways to prepare the data. The first one is nothing, unless one of them is the baseline. */
function preparedValues({ prepare, baseline }: Pick<TryOptions, 'prepare' | 'baseline'>): AxisValue[] {
  const value = ({ name, sql }: Preparation): AxisValue => ({
    name: [name],
    shortName: [name],
    description: sql,
    prepare: [sql],
  });
  const unprepared = { name: [asLoaded], shortName: [asLoaded], description: 'as loaded' };
  const [first, others] = [true, false].map((is) =>
    prepare.filter(({ name }) => (name === baseline) === is).map(value),
  );
  return [...(baseline === undefined ? [unprepared] : (first ?? [])), ...(others ?? [])];
}

function initialsOf(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0))
    .join('');
}

/**
 * Every combination of the values, of which there may be far too many to hold: their number, and the first ones. The
 * very first has the first value of each, and the last axis changes fastest.
 */
export function combinationsOf(axes: readonly Axis[]): { count: number; first: (count: number) => Combination[] } {
  const at = (index: number): Combination => {
    let rest = index;
    const chosen = axes.toReversed().flatMap(({ values }) => {
      const value = values[rest % values.length];
      rest = Math.floor(rest / values.length);
      return value ?? [];
    });
    return chosen.reverse();
  };
  return {
    count: axes.reduce((count, { values }) => count * values.length, 1),
    first: (count) => Array.from({ length: count }, (_, index) => at(index)),
  };
}

/** A variant for each of the combinations. */
export function variantsOf(combinations: readonly Combination[]): Record<string, object> {
  const names = namesOf(combinations);
  return Object.fromEntries(combinations.map((values, index) => [names[index] ?? '', variantOf(values)]));
}

function variantOf(values: Combination): object {
  const parameters = Object.assign({}, ...values.map((value) => value.parameters)) as Record<string, string>;
  const engine = {
    ...Object.fromEntries(values.flatMap(({ version }) => (version === undefined ? [] : [['version', version]]))),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
  const prepare = values.flatMap((value) => value.prepare ?? []);
  return {
    description: values.map(({ description }) => description).join(', '),
    ...(Object.keys(engine).length > 0 && { engine }),
    ...(prepare.length > 0 && { prepare }),
  };
}

const longestName = 40;

/** Names for the variants, as telling as is possible within the length that names may have. */
function namesOf(combinations: readonly Combination[]): string[] {
  const isUsable = (names: readonly string[]): boolean =>
    new Set(names).size === names.length && names.every((name) => name.length <= longestName);
  const made = (['name', 'shortName'] as const).map((scheme) =>
    combinations.map((values) => nameFrom(values.flatMap((value) => value[scheme]))),
  );
  return made.find(isUsable) ?? combinations.map((_, index) => `settings-${index + 1}`);
}

/** The name of the experiment, and so of the folder of its results. */
export function experimentName(axes: readonly Axis[]): string {
  const name = nameFrom(['try', ...axes.map((one) => one.name)]);
  return name.slice(0, longestName).replace(/-+$/, '');
}

function nameFrom(parts: readonly string[]): string {
  return parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
