import { expect, it } from 'vitest';
import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import { reported } from '../../runner/report/reported.ts';
import { answeredResult, answeredResults, scopedResults } from '../helpers/samples/answered-results.ts';

const primaries = ({ result }: OpenedResult) => result.comparisons.filter(({ primary }) => primary);

/** What is said over all answers, with what it leaves open, and of each answer if there are several. */
function said(name: string, { result }: OpenedResult): string {
  const { lead, answers } = reported(result);
  const each = answers.length > 1 ? answers.map(({ headline, evidence }) => [headline, evidence]) : [];
  const said = [[lead.headline, lead.evidence, lead.remains], ...each].map((texts) =>
    texts.filter((text) => text !== '').join('\n  '),
  );
  return [`===== ${name}`, ...said].join('\n');
}

it('every verdict is said with its scope, and with what it leaves open', async () => {
  const texts: string[] = [];
  for (const scoped of scopedResults) {
    const { name, scope, verdict } = scoped;
    const opened = await scoped.open();
    expect(primaries(opened), name).toMatchObject([{ scope, verdict }]);
    texts.push(said(name, opened));
  }
  await expect(texts.join('\n\n').concat('\n')).toMatchFileSnapshot('answers/scopes.txt');
});

it('what a run comes to, and why it comes to nothing, is said', async () => {
  const texts: string[] = [];
  for (const [name, answered] of Object.entries(answeredResults)) {
    const opened = await answeredResult(answered);
    const own = primaries(opened);
    const [first] = own;
    expect.soft({ name, verdicts: own.map(({ verdict }) => verdict) }).toEqual({ name, verdicts: answered.verdicts });
    if (answered.withheldBy !== undefined) expect.soft(first?.withheld[0]?.id, name).toBe(answered.withheldBy);
    if (answered.undecided !== undefined) expect.soft(first?.undecided, name).toBe(answered.undecided);
    texts.push(said(name, opened));
  }
  await expect(texts.join('\n\n').concat('\n')).toMatchFileSnapshot('answers/reasons.txt');
});
