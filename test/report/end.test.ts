import { describe, expect, it } from 'vitest';
import { renderEnd, renderQuietEnd } from '../../runner/report/terminal/end.ts';
import { goldenResults } from '../golden/golden-results.ts';
import { fullRun } from '../helpers/samples/full-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const longName = (letter: string): string => letter.repeat(40);
const ladder = async () => (await fullRun([1, 2, 4, 8, 16, 32, 64], 6)).result;
const many = () =>
  sampleResult({
    variants: Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`variant-${index + 1}`, 1 + index / 10])),
  });

const results = {
  'two names of 40 characters': () => sampleResult({ variants: { [longName('a')]: 1, [longName('b')]: 1.3 } }),
  'four names of 40 characters': () =>
    sampleResult({
      variants: Object.fromEntries(['a', 'b', 'c', 'd'].map((one, index) => [longName(one), 1 + index / 10])),
    }),
  'sixteen variants': many,
  'seven levels': ladder,
  'failed trials': () => sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } }),
  ...Object.fromEntries(
    Object.entries(goldenResults).flatMap(([name, make]) =>
      make ? [[`the golden ${name}`, async () => (await make()).result]] : [],
    ),
  ),
};

describe('the end of a run', () => {
  it.each(
    Object.entries(results).flatMap(([kind, make]) =>
      [60, 80, 120, Infinity].map((columns) => [kind, columns, make] as const),
    ),
  )('with %s fits into a screen of %d columns', async (_, columns, make) => {
    const result = await make();
    const lines = renderEnd(result, { columns, colour: false }).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(15);
    expect(lines.filter(({ length }) => length > Math.min(columns, 80))).toEqual([]);
  });

  it('counts the variants that it has no room for', async () => {
    expect(renderEnd(await many(), { columns: 80, colour: false })).toMatch(/^ {2}… and \d+ more in the report$/m);
  });

  it('shows every level with both values', async () => {
    const text = renderEnd(await ladder(), { columns: 80, colour: false });
    for (const clients of [1, 64]) expect(text).toMatch(new RegExp(`^ +${clients} clients? .* 1,447 +1,897 `, 'm'));
  });

  it('is the answer and what could change it where everything else is unwanted', async () => {
    const text = renderQuietEnd(await sampleResult({ blocks: 8 }), { columns: 80, colour: false });
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(2 + 3 * 2);
  });
});
