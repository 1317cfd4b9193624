import type { z } from 'zod';
import type { RuleProblem } from '../../contract/check.ts';
import { tools } from '../../workloads/registry.ts';
import { wellFormed } from '../rules/rules.ts';
import { experimentSchema } from '../schema.ts';
import { meantWord, schemaProblems } from './problems.ts';
import { isMap, type Plain } from './profiles.ts';
import { valueAt } from './source.ts';

export interface JudgedForm {
  problems: RuleProblem[];
  /** The experiment with the words that it means, and with the defaults of its tool. */
  meant: Plain;
  parsed: ReturnType<typeof experimentSchema.safeParse>;
  /** A problem of `meant` at its path in the file. */
  asWritten: (problem: RuleProblem) => RuleProblem;
}

/**
 * Judges the form of an experiment: keys, types and ranges of single values. A misspelt word would hide every mistake
 * in what depends on it, such as in a whole workload whose tool is misspelt. So it is reported, and then replaced by the
 * one word that it can mean; a key that can mean none, or several, is left out.
 *
 * @param merged the experiment with a profile and `common` applied
 */
export function judgeForm(merged: Plain): JudgedForm {
  const corrected: Corrections = { keys: new Map(), values: new Map() };
  const writtenKeys = new Map<string, string>();
  const asWritten = (problem: RuleProblem): RuleProblem => {
    const path = problem.path.map((key, depth) => writtenKeys.get(placeOf(problem.path.slice(0, depth + 1))) ?? key);
    return { ...problem, path };
  };
  const problems: RuleProblem[] = [];
  for (let meant = merged; ;) {
    const complete = withToolDefaults(meant);
    const parsed = experimentSchema.safeParse(complete, { reportInput: true });
    const issues = [...(parsed.error?.issues ?? []), ...issuesBelowWrongNames(complete)];
    const found = schemaProblems(issues, toolNamed(complete));
    const misspelt = found.flatMap((problem) => {
      const correction = correctionOf(problem, meant);
      // A word is corrected once, so this comes to an end.
      return correction && !corrected[correction.of].has(correction.place) ? [{ problem, correction }] : [];
    });
    if (misspelt.length === 0) {
      return { problems: [...problems, ...found.map(asWritten)], meant: complete, parsed, asWritten };
    }
    problems.push(...misspelt.map(({ problem }) => asWritten(problem)));
    const corrections: Corrections = { keys: new Map(), values: new Map() };
    for (const { problem, correction } of misspelt) {
      const { of, place, word } = correction;
      for (const known of [corrections, corrected]) known[of].set(place, word);
      const [written, ...holder] = problem.path.toReversed();
      if (of === 'keys' && word !== null) writtenKeys.set(placeOf([...holder.toReversed(), word]), String(written));
    }
    meant = withCorrections(meant, corrections);
  }
}

/** What stands for misspelt words, by their places; null for a key that is left out. */
interface Corrections {
  keys: Map<string, string | null>;
  values: Map<string, string | null>;
}

function correctionOf(
  { path, unknown }: RuleProblem,
  experiment: Plain,
): { of: keyof Corrections; place: string; word: string | null } | null {
  if (!unknown) return null;
  const place = placeOf(path);
  const word = meantWord(unknown.word, unknown.known);
  if (!unknown.isKey) return word === null ? null : { of: 'values', place, word };
  const holder = path.slice(0, -1);
  const around = valueAt(experiment, holder);
  const isTaken = word !== null && isMap(around) && word in around;
  // `common`, `matrix` and `profiles` are keys of a file, but an experiment has them no longer.
  const isOfFile = word !== null && holder.length === 0 && !(word in experimentSchema.shape);
  return { of: 'keys', place, word: isTaken || isOfFile ? null : word };
}

function withCorrections(value: Plain, corrections: Corrections, path: readonly string[] = []): Plain {
  if (Array.isArray(value)) {
    return value.map((one, index) => withCorrections(one, corrections, [...path, String(index)]));
  }
  if (!isMap(value)) return corrections.values.get(placeOf(path)) ?? value;
  const entries = Object.entries(value).flatMap(([key, one]): [string, Plain][] => {
    const at = [...path, key];
    const meant = corrections.keys.get(placeOf(at));
    if (meant === undefined) return [[key, withCorrections(one, corrections, at)]];
    return meant === null ? [] : [[meant, one]];
  });
  return Object.fromEntries(entries);
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('\0');
}

/** The schema does not look at a variant whose name is wrong. */
function issuesBelowWrongNames(experiment: Plain): z.core.$ZodIssue[] {
  const { keyType, valueType } = experimentSchema.shape.variants;
  const variants = isMap(experiment) && isMap(experiment['variants']) ? experiment['variants'] : {};
  return Object.entries(variants).flatMap(([name, variant]) => {
    if (keyType.safeParse(name).success) return [];
    const issues = valueType.safeParse(variant, { reportInput: true }).error?.issues ?? [];
    return issues.map((issue) => ({ ...issue, path: ['variants', name, ...issue.path] }));
  });
}

function toolNamed(experiment: Plain): Plain | undefined {
  return valueAt(experiment, ['workload', 'tool']);
}

/**
 * Fills in what depends on the tool if the experiment says nothing: how databases are reset, the metric that decides,
 * and a network in which the driver can download what the tool needs.
 */
function withToolDefaults(experiment: Plain): Plain {
  if (!isMap(experiment) || !isMap(experiment['workload'])) return experiment;
  const { tool: name } = experiment['workload'];
  const tool = tools.find((one) => one.name === name);
  const { protocol = {}, decision = {} } = experiment;
  if (!tool) return experiment;
  const workload = wellFormed(tool.schema.shape, experiment['workload']);
  const reset = tool.defaultReset(workload);
  const downloads = (tool.driver.downloads?.(workload) ?? null) !== null;
  return {
    ...experiment,
    ...(isMap(protocol) && !('reset' in protocol) ? { protocol: { ...protocol, reset: [...reset] } } : {}),
    ...(isMap(decision) && !('metric' in decision) ? { decision: { ...decision, metric: tool.throughput } } : {}),
    ...(downloads && !('network' in experiment) ? { network: { mode: 'public-driver' } } : {}),
  };
}
