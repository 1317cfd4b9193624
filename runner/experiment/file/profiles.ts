import { tools } from '../../workloads/every-tool.ts';
import type { Alternatives } from '../../workloads/tool.ts';

/** Plain data as a YAML file gives it. */
export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };
type PlainMap = Record<string, Plain>;

export function isMap(value: Plain | undefined): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function profileNames(file: Plain): string[] {
  const profiles = isMap(file) ? file['profiles'] : undefined;
  return isMap(profiles) ? Object.keys(profiles) : [];
}

/** The profiles that `control,smoke` means, in the order in which they are applied. */
export function combinedProfiles(profile: string): string[] {
  return profile.split(',');
}

/**
 * The file with the overrides of a profile on top and `profiles` gone. Of several profiles, later ones are on top of earlier
 * ones. A profile that does not exist overrides nothing.
 */
export function applyProfile(file: Plain, profile: string): Plain {
  if (!isMap(file)) return file;
  const { profiles, ...base } = file;
  const overrides = combinedProfiles(profile).map((name) => (isMap(profiles) ? (profiles[name] ?? {}) : {}));
  return overrides.reduce<Plain>(merge, base);
}

/** Gives every variant what `common` says, unless the variant says otherwise, and removes `common`. */
export function foldCommon(experiment: Plain): Plain {
  if (!isMap(experiment) || !isMap(experiment['common']) || !isMap(experiment['variants'])) return experiment;
  const { common, variants, ...rest } = experiment;
  const folded = Object.entries(variants).map(([name, variant]) => [
    name,
    variant === null ? (common as Plain) : merge(common as Plain, variant),
  ]);
  return { ...rest, variants: Object.fromEntries(folded) as Plain };
}

/**
 * Merges maps key by key, and replaces anything else. A map of another kind (`type`, `mode`, `kind` or `tool`) replaces, too: the
 * keys of one kind mean nothing to another kind. What else excludes each other in a workload, its tool says. `null` removes what
 * is below it.
 */
export function merge(below: Plain, above: Plain): Plain {
  return mergeWithin([], below, above);
}

/** @param around alternatives of the workload that holds the maps; none outside of one */
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
