import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Check } from '../../../runner/contract/check.ts';

/** A case of a check's tests: what it is about, and what the check says of it. */
export interface FoundCase {
  id: string;
  about: string;
  judge: () => Check | undefined | Promise<Check | undefined>;
}

/** Keeps the sentences of what checks find, unless they pass, so that a change of them is reviewed as a diff. */
export function keepsFindings(file: string, cases: readonly FoundCase[]): void {
  it('what checks find is said as it was', async () => {
    const found = await Promise.all(cases.map(async (one) => ({ ...one, check: await one.judge() })));
    const texts = found.flatMap(({ id, about, check }) =>
      check && check.state !== 'pass' ? [`${id}, ${check.state}: ${about}\n  ${check.finding}.\n`] : [],
    );
    const golden = new URL(`../../golden/findings/${file}.txt`, import.meta.url);
    await expect(texts.join('\n')).toMatchFileSnapshot(fileURLToPath(golden));
  });
}
