import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import { resultFile } from '../../runner/contract/result.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';

/** Acts in every sink that forgets to make it harmless: it then leaves `owned` where a test looks for it. */
export const hostile = [
  `"'><img src=x onerror="window.owned=1"><script>window.owned=1</script></style></svg><iframe src="//owned">`,
  '[owned](javascript:owned) ![owned](//owned) `owned` |owned| **owned** <owned>',
  "$(touch owned) `touch owned` ';touch owned;' \\' \\",
  `'; CREATE TABLE owned(); -- "; CREATE TABLE owned(); -- $$`,
  '\u001b]0;owned\u0007\u001b[2J\r\u202e\u2066owned\u009b2J\u200f',
  '../../owned %n%s%i ${AWS::AccountId} {{owned}}',
].join(' ');

/**
 * A result of a run in which every text that a file may hold is hostile: it was changed by hand, or comes from a hostile
 * database. The same text is changed in the same way everywhere, so that names still refer to each other.
 */
export async function hostileResult(): Promise<OpenedResult> {
  const { result, series } = await sampleRun({ failedTrial: { block: 2, variant: 'with-log-volume' } });
  const texts = [...new Set(textsIn(result))].filter((text) => text !== '');
  let text = JSON.stringify(result);
  let hostileTexts = 0;
  for (const original of texts) {
    const changed = text.replaceAll(JSON.stringify(original), JSON.stringify(`${original}${hostile}`));
    const head = { kind: resultFile.kind, schemaVersion: resultFile.schemaVersion, toolVersion: '0' };
    const parsed = resultFile.schema.safeParse({ ...head, ...(JSON.parse(changed) as object) });
    if (!parsed.success || !canBeShown(parsed.data)) continue;
    text = changed;
    hostileTexts += 1;
  }
  if (hostileTexts < 30) throw new Error(`only ${hostileTexts} texts could be made hostile`);
  return { result: JSON.parse(text) as OpenedResult['result'], series };
}

/** Names of metrics, for example, must be known ones. */
function canBeShown(result: OpenedResult['result']): boolean {
  try {
    renderTerminal(result, { columns: 80, colour: false });
    return true;
  } catch {
    return false;
  }
}

/** All texts and all keys. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}
