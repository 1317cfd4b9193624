import { tools } from '../../workloads/registry.ts';
import type { Alternatives } from '../../workloads/extras.ts';

/** Plain data, as parsed from a YAML file. */
export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };
export type PlainMap = Record<string, Plain>;

export function isMap(value: Plain | undefined): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: Plain | undefined, path: readonly PropertyKey[]): Plain | undefined {
  let current: Plain | undefined = value;
  for (const key of path) {
    if (isMap(current)) current = current[String(key)];
    else if (Array.isArray(current)) current = current[Number(key)];
    else return undefined;
  }
  return current;
}

export function profileNames(file: Plain): string[] {
  const profiles = valueAt(file, ['profiles']);
  return isMap(profiles) ? Object.keys(profiles) : [];
}

/** The profiles that `control,smoke` means, in the order in which they are applied. */
export function combinedProfiles(profile: string): string[] {
  return profile.split(',');
}

/** The same profiles for a file that has one of them applied already: they change nothing. */
export function appliedProfiles(profile: string): Record<string, object> {
  return Object.fromEntries(combinedProfiles(profile).map((name) => [name, {}]));
}

/**
 * The file with the overrides of a profile applied, and `profiles` removed. Of several profiles, later ones override
 * earlier ones. A profile that does not exist overrides nothing.
 */
export function applyProfile(file: Plain, profile: string): Plain {
  if (!isMap(file)) return file;
  const { profiles, ...base } = file;
  const overrides = combinedProfiles(profile).map((name) => (isMap(profiles) ? (profiles[name] ?? {}) : {}));
  const own = toolIn(base);
  return overrides.reduce<Plain>((below, above) => merge(below, limitedToTool(below, above, own)), base);
}

/**
 * A profile whose workload names no tool was written for the file's own. Where an earlier profile takes another tool, it
 * says only what that tool has, too: the sizes of a smoke test, but not its number of virtual users.
 */
function limitedToTool(below: Plain, above: Plain, own: Plain | undefined): Plain {
  const tool = toolIn(below);
  if (tool === own || toolIn(above) !== undefined || !isMap(above) || !isMap(above['workload'])) return above;
  const [ownKeys, otherKeys] = [keysOf(own), keysOf(tool)];
  const workload = Object.entries(above['workload']).filter(([key]) => !ownKeys.has(key) || otherKeys.has(key));
  return { ...above, workload: Object.fromEntries(workload) };
}

function toolIn(file: Plain): Plain | undefined {
  return valueAt(file, ['workload', 'tool']);
}

function keysOf(tool: Plain | undefined): ReadonlySet<string> {
  return new Set(Object.keys(tools.find(({ name }) => name === tool)?.schema.shape ?? {}));
}

/** A variant that names its server, by itself or in `common`, has the storage of that server, whatever `common` says. */
function withStorage(variant: Plain): Plain {
  if (!isMap(variant) || variant['server'] === undefined || variant['storage'] !== undefined) return variant;
  return { ...variant, storage: { type: 'existing' } };
}

function withStorageOfServers(experiment: Plain): Plain {
  if (!isMap(experiment) || !isMap(experiment['variants'])) return experiment;
  const { common } = experiment;
  const variants = Object.entries(experiment['variants']).map(([name, variant]) => [name, withStorage(variant)]);
  return {
    ...experiment,
    ...(common !== undefined && { common: withStorage(common) }),
    variants: Object.fromEntries(variants) as Plain,
  };
}

/** Applies `common` to every variant, unless the variant says otherwise, and removes `common`. */
export function foldCommon(written: Plain): Plain {
  const experiment = withStorageOfServers(written);
  if (!isMap(experiment) || !isMap(experiment['common'])) return experiment;
  const { common, variants, ...rest } = experiment;
  if (!isMap(variants)) return variants === undefined ? rest : { ...rest, variants };
  const folded = Object.entries(variants).map(([name, variant]) => [
    name,
    variant === null ? (common as Plain) : merge(common as Plain, variant),
  ]);
  return { ...rest, variants: Object.fromEntries(folded) as Plain };
}

/**
 * Merges maps key by key, and replaces anything else. It also replaces a map by one of another kind (`type`, `mode`,
 * `kind` or `tool`): the keys of one kind mean nothing to another. A workload's tool says which other keys exclude each
 * other. `null` removes the value below it.
 */
export function merge(below: Plain, above: Plain): Plain {
  return mergeWithin([], below, above);
}

/** @param around alternatives of the workload that holds the maps; none outside a workload */
function mergeWithin(around: readonly Alternatives[], below: Plain, above: Plain): Plain {
  if (!isMap(below) || !isMap(above)) return above;
  const otherKind = ['type', 'mode', 'kind', 'tool'].some(
    (key) => key in above && key in below && above[key] !== below[key],
  );
  const tool = above['tool'] ?? below['tool'];
  const alternatives = tool === undefined ? around : (tools.find(({ name }) => name === tool)?.alternatives ?? []);
  const takenBack = alternatives
    .filter(({ keys }) => keys.some((key) => key in above))
    .map(({ keys, takeBack }) => ({ takeBack, keys: keys.filter((key) => key in below && !(key in above)) }))
    .filter(({ keys }) => keys.length > 0);
  if (otherKind || takenBack.some(({ takeBack }) => takeBack === 'all')) return above;
  const removed = takenBack.flatMap(({ keys }) => keys);
  const kept = Object.entries(below).filter(([key]) => above[key] !== null && !removed.includes(key));
  const merged: PlainMap = Object.fromEntries(kept);
  for (const [key, value] of Object.entries(above)) {
    const old = below[key];
    if (old === undefined || value !== null) {
      merged[key] = old === undefined ? value : mergeWithin(alternatives, old, value);
    }
  }
  return merged;
}
