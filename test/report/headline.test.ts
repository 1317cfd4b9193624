import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { reason } from '../../runner/contract/withheld.ts';
import { levelWords } from '../../runner/contract/trial.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { answers } from '../../runner/report/answer/answers.ts';
import { judgedAmong, headlineForms } from '../../runner/report/answer/headline.ts';
import { leadOf } from '../../runner/report/answer/lead.ts';
import type { Answer } from '../../runner/report/answer/statement.ts';

const sample = (await sampleResult()).comparisons.find(({ primary }) => primary);

type Shape = Pick<Comparison, 'verdict' | 'change' | 'withheld'>;

/** What a comparison may come to, with a change that fits. */
const shape: fc.Arbitrary<Shape> = fc
  .record({
    verdict: fc.constantFrom(
      'better',
      'worse',
      'equivalent',
      'inconclusive',
      'descriptive',
      null,
      'no change' as const,
    ),
    size: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
    why: fc.constantFrom('clock: it was set', '5 blocks were compared', 'control: it differs'),
  })
  .map(({ verdict, size, why }): Shape => {
    if (verdict === 'no change') return { verdict: null, change: null, withheld: [reason('unnamed', why)] };
    const withheld = verdict === null || verdict === 'descriptive' ? [reason('unnamed', why)] : [];
    return { verdict, withheld, change: verdict === 'worse' ? -size : verdict === 'equivalent' ? size / 100 : size };
  });

const name = fc.stringMatching(/^[a-zA-Z$][a-z$&.-]{2,11}$/);

/** Candidates by levels, each with a shape. */
const compared = fc
  .record({
    names: fc.uniqueArray(name, { minLength: 1, maxLength: 12 }),
    levels: fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 8 }),
    shapes: fc.array(shape, { minLength: 96, maxLength: 96 }),
    controls: fc.nat({ max: 1 }),
  })
  .map(({ names, levels, shapes, controls }) => ({
    controls: names.length > 1 ? names.slice(0, controls) : [],
    comparisons: names.flatMap((candidate, at) =>
      levels.map((clients, index): Comparison => {
        if (!sample) throw new Error('no comparison');
        return {
          ...sample,
          ...(shapes[at * levels.length + index] as Shape),
          conditions: levels.length === 1 ? {} : { clients },
          candidate: { ...sample.candidate, variant: candidate },
          baseline: { ...sample.baseline, variant: 'Base' },
        };
      }),
    ),
  }));

function leadFor(comparisons: readonly Comparison[], controls: readonly string[]): Answer {
  const answered = answers(comparisons, { metric: 'tps', practicalThreshold: 0.05, controls });
  return leadOf(answered, judgedAmong(answered, controls));
}

const standings = {
  worse: 'worse',
  withheld: 'not-concluded',
  descriptive: 'no-verdict',
  inconclusive: 'inconclusive',
  equivalent: 'equivalent',
  better: 'better',
} as const;
type Kind = keyof typeof standings;

/** How a headline says it, without names, the worst first. */
const words = Object.fromEntries(
  Object.entries(standings).map(([kind, standing]) => [kind, headlineForms[standing][2].replace(' WHO', '')]),
) as Record<Kind, string>;

function kindOf({ verdict, change }: Comparison): Kind {
  return verdict === null || change === null ? 'withheld' : verdict;
}

/** The clauses of a headline without names, in which a word may stand, too. */
function clausesOf(headline: string, names: readonly string[]): string[] {
  const plain = names
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, one) => text.replaceAll(one, '·'), headline);
  return plain.toLowerCase().split('; ');
}

describe('the headline over several answers', () => {
  it('leaves no verdict out, whatever candidates, levels and verdicts there are, and begins with the worst', () => {
    fc.assert(
      fc.property(compared, ({ comparisons, controls }) => {
        const judged = comparisons.filter(({ candidate }) => !controls.includes(candidate.variant));
        fc.pre(judged.length > 1);
        const { headline } = leadFor(comparisons, controls);
        const clauses = clausesOf(headline, [...new Set(comparisons.map(({ candidate }) => candidate.variant))]);
        const order = Object.values(words).map((word) => clauses.findIndex((one) => one.includes(word)));
        const found = order.filter((index) => index >= 0);
        expect(found).toEqual(found.toSorted((a, b) => a - b));
        for (const [kind, word] of Object.entries(words)) {
          const there = judged.some((one) => kindOf(one) === kind);
          expect(
            clauses.some((one) => one.includes(word)),
            `${word} in ${headline}`,
          ).toBe(there);
        }
      }),
    );
  });

  it('names each candidate as it is called and each of its levels, with a size if something is claimed', () => {
    fc.assert(
      fc.property(compared, ({ comparisons, controls }) => {
        const judged = comparisons.filter(({ candidate }) => !controls.includes(candidate.variant));
        fc.pre(judged.length > 1);
        const { headline } = leadFor(comparisons, controls);
        const isCounted = / \d+ (?:\(worst|\(best|comparisons)|\bin \d+/.test(headline);
        const isOneReason = / for (?:either|any) of the /.test(headline);
        if (!isCounted && !isOneReason) {
          for (const one of judged) {
            expect(headline).toContain(one.candidate.variant);
            const level = levelWords(one.conditions);
            expect(headline.includes(level) || / at (?:both|all \w+) levels/.test(headline)).toBe(true);
          }
        }
        const isSized = judged.some((one) => kindOf(one) === 'worse' || kindOf(one) === 'better');
        if (isSized) expect(headline).toMatch(/\d(?:% (?:slower|faster)| (?:times )?as fast)/);
      }),
    );
  });

  it('counts all if there are too many to name, and names the worst and the best', () => {
    const twelve = Array.from({ length: 12 }, (_, index) => `candidate-${index}`);
    const levels = [1, 2, 4, 8, 16, 32, 64, 128];
    const many = twelve.flatMap((candidate, at) =>
      levels.map((clients, index): Comparison => {
        if (!sample) throw new Error('no comparison');
        const verdict = (['worse', 'better', 'equivalent', 'inconclusive'] as const)[(at + index) % 4] ?? 'better';
        const change = verdict === 'worse' ? -(at * 8 + index + 1) / 100 : (at * 8 + index + 1) / 1000;
        const named = { ...sample.candidate, variant: candidate };
        return { ...sample, verdict, change, pairs: [], conditions: { clients }, candidate: named };
      }),
    );
    const { headline } = leadFor(many, []);
    expect(headline.length).toBeLessThan(240);
    expect([...headline.matchAll(/ in (\d+)/g)].map(([, count]) => Number(count))).toEqual([24, 24, 24, 24]);
    const worst = many.toSorted((a, b) => (a.change ?? 0) - (b.change ?? 0))[0];
    expect(headline).toContain(`(worst: ${worst?.candidate.variant} at ${levelWords(worst?.conditions ?? {})} (`);
    expect(headline).toContain('(best: candidate-11 at ');
  });

  it('stays short, however many there are', () => {
    fc.assert(
      fc.property(compared, ({ comparisons, controls }) => {
        const { headline } = leadFor(comparisons, controls);
        expect(headline.length, headline).toBeLessThan(400);
      }),
    );
  });
});
