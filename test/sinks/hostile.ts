import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import { resultFile } from '../../runner/contract/result.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';

/** Acts in every sink that forgets to make it harmless: it then leaves `owned` where a test looks for it. */
export const hostile = [
  `"'><img src=x onerror="window.owned=1"><script>window.owned=1</script></style></svg><iframe src="//owned">`,
  '[owned](javascript:owned) ![owned](//owned) `owned` |owned| **owned** <owned>',
  "$(touch owned) `touch owned` ';touch owned;' \\' \\",
  `'; CREATE TABLE owned(); -- "; CREATE TABLE owned(); -- $$`,
  '\u001b]0;owned\u0007\u001b[2J\r\u202e\u2066owned\u009b2J\u200f',
  '../../owned %n%s%i ${AWS::AccountId} {{owned}}',
].join(' ');

/** Fields that must be of a known form: of a fixed set, a time, or a name that our own folders have. */
const known =
  /^(id|kind|state|scope|method|metric|unit|better|verdict|order|until|limit|.*At|tool|status|file|primary)$/;

/**
 * A result of a run in which the texts that a file may hold are hostile: it was changed by hand, or comes from a hostile
 * database. The same text is changed in the same way everywhere, so that names of variants still refer to each other.
 */
export async function hostileResult(): Promise<OpenedResult> {
  const { result, series } = await sampleRun({ blocks: 2, failedTrial: { block: 2, variant: 'with-log-volume' } });
  const texts = [...new Set([...Object.keys(result.variants), ...freeTexts(result)])];
  return { result: replaced(result, changeable(result, texts)) as OpenedResult['result'], series };
}

/**
 * The texts that a file may hold with hostile ones at their ends. Most may, so halves are tried before single ones: reading the
 * whole result for each text would take seconds.
 */
function changeable(
  result: unknown,
  texts: readonly string[],
  others: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const changed = new Map([...others, ...texts.map((text) => [text, `${text}${hostile}`] as const)]);
  if (resultFile.schema.safeParse(replaced(result, changed)).success) return changed;
  if (texts.length <= 1) return others;
  const half = texts.length / 2;
  return changeable(result, texts.slice(half), changeable(result, texts.slice(0, half), others));
}

/** Values of sentences: they have a space in them. */
function freeTexts(value: unknown, field = ''): string[] {
  if (typeof value === 'string') return !known.test(field) && value.includes(' ') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.entries(value).flatMap(([key, inner]) => freeTexts(inner, key)))];
}

function replaced(value: unknown, by: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return by.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => replaced(inner, by));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [by.get(key) ?? key, replaced(inner, by)]));
}
