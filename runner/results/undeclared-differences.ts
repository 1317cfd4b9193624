import type { Run } from '../workloads/run.ts';
import type { Measured } from './metrics.ts';
import type { Result, ResultVariant } from './result.ts';

/** One side of a comparison, as far as it may differ from the other in more than was meant. */
export interface Side {
  /** As the table names it. */
  label: string;
  measured: readonly Measured[];
  /** Where a result tells of it. */
  variant: ResultVariant | null;
  /** Names of settings that the experiment gives this side: differences in these are the question, not a flaw. */
  declared: ReadonlySet<string>;
}

/** In words, one a difference; what a side does not tell is not held against it. */
export function undeclaredDifferences(baseline: Side, candidate: Side): string[] {
  const sides = [baseline, candidate] as const;
  const versionsDeclared = sides.every(({ declared }) => declared.has('version'));
  return [
    ...(versionsDeclared ? [] : difference('the server’s version', sides, serverVersions)),
    ...difference('the version of the client', sides, runsSay('clientVersion')),
    ...difference('the scale', sides, runsSay('scale')),
    ...difference('the number of clients', sides, runsSay('clients')),
    ...difference('the number of threads', sides, runsSay('threads')),
    ...difference('the mix of scripts', sides, ({ measured }) => measured.map(({ run }) => scriptMix(run))),
    ...settingDifferences(sides),
  ];
}

/** What an experiment declares of a variant: the names of its parameters, and `version` where it gives one. */
export function declaredNames({ experiment }: Result, variant: string): Set<string> {
  const engine = experiment.definition.variants[variant]?.engine;
  return new Set([...Object.keys(engine?.parameters ?? {}), ...(engine?.version === undefined ? [] : ['version'])]);
}

type Sides = readonly [Side, Side];

function difference(what: string, sides: Sides, read: (side: Side) => (string | number | null)[]): string[] {
  const values = sides.map((side) => [...new Set(read(side).filter((value) => value !== null))]);
  if (new Set(values.flat()).size < 2 || values.some(({ length }) => length === 0)) return [];
  const words = sides.map(({ label }, index) => `${(values[index] ?? []).join(' and ')} in ${label}`);
  return [`Undeclared difference: ${what} is ${words.join(', ')}.`];
}

function runsSay(key: 'clientVersion' | 'scale' | 'clients' | 'threads'): (side: Side) => (string | number | null)[] {
  return ({ measured }) => measured.map(({ run }) => run[key]);
}

function serverVersions({ measured, variant }: Side): (string | null)[] {
  return [variant?.serverVersion ?? null, ...measured.map(({ run }) => run.serverVersion)];
}

function scriptMix({ scripts }: Run): string | null {
  if (scripts.length === 0) return null;
  return scripts
    .map(({ name, weight }) => (weight === null || scripts.length === 1 ? name : `${name} (weight ${weight})`))
    .sort()
    .join(' + ');
}

function settingDifferences(sides: Sides): string[] {
  const [first, second] = sides;
  const names = Object.keys(first.variant?.settings ?? {}).filter(
    (name) => !sides.some(({ declared }) => declared.has(name)),
  );
  return names.flatMap((name) =>
    second.variant === null ? [] : difference(name, sides, ({ variant }) => [variant?.settings[name] ?? null]),
  );
}
