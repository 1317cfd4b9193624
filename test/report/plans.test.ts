import { describe, expect, it } from 'vitest';
import { shownPlan } from '../../runner/collect/postgres/plans.ts';
import { countedTrials } from '../../runner/analysis/counted-trials.ts';
import type { Result } from '../../runner/contract/result.ts';
import { renderHtml } from '../helpers/shown/render-html.ts';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import { plansOf } from '../../runner/report/sections/plans.ts';

const index = 'Update on t\n  ->  Index Scan using t_pkey on t\n        Index Cond: (aid = $2)';
const scan = 'Update on t\n  ->  Seq Scan on t\n        Filter: (aid = $2)';

/** Every trial of the sample has one statement, with the number 77. */
async function planned(
  planOf: (variant: string, block: number) => string | undefined,
  which: 'plans' | 'genericPlans' = 'plans',
) {
  const run = await sampleRun({ blocks: 6 });
  for (const { facts, conditions, block } of run.result.trials) {
    const plan = planOf(conditions.variant, block);
    if (plan !== undefined) facts[which] = { 77: plan };
  }
  return run;
}
const plans = (result: Result) => plansOf(result, countedTrials(result));
const variantsOf = ({ variants }: Result) => variants.map(({ name }) => name);

describe('plans of the costliest statements', () => {
  it('stand side by side where they differ, on the page and in Markdown', async () => {
    const { result, series } = await planned((variant) => (variant.startsWith('without') ? scan : index));
    expect(plans(result)).toMatchObject({ same: 0, differing: [{ plans: [{ plan: scan }, { plan: index }] }] });
    expect(plans(result).differing[0]?.plans.map(({ sides }) => sides)).toEqual(
      variantsOf(result).map((name) => [name]),
    );
    const page = await renderHtml(result, series);
    expect(page).toContain(`>${scan.replaceAll('>', '&gt;')}</pre>`);
    expect(renderMarkdown(result)).toContain(`\`\`\`\n${index}\n\`\`\``);
  });

  it('of statements that vary on one side by themselves come last', async () => {
    const { result } = await planned((variant) => (variant.startsWith('without') ? scan : index));
    for (const { facts, block } of result.trials) {
      const [costliest] = facts.statements ?? [];
      if (!costliest || !facts.plans) continue;
      facts.statements = [{ ...costliest, queryId: '1', text: 'SELECT varying' }, costliest];
      facts.plans['1'] = block % 2 === 0 ? scan : index;
    }
    expect(plans(result).differing.map(({ statement }) => statement.includes('varying'))).toEqual([false, true]);
  });

  it('are not shown where they are the same, or where one side has none', async () => {
    const same = (await planned(() => index)).result;
    expect(plans(same)).toEqual({ same: 1, differing: [] });
    expect(renderMarkdown(same)).not.toContain('Plan differences');
    const one = (await planned((variant) => (variant.startsWith('without') ? scan : undefined))).result;
    expect(plans(one)).toEqual({ same: 0, differing: [] });
  });

  it('are called generic where no constants were seen, and never differ from one that was carried out', async () => {
    const without = (variant: string): boolean => variant.startsWith('without');
    const { result } = await planned((variant) => (without(variant) ? scan : index), 'genericPlans');
    expect(plans(result).differing).toMatchObject([{ generic: true, plans: [{ plan: scan }, { plan: index }] }]);
    expect(renderMarkdown(result)).toContain('(generic plan):');
    const { result: mixed } = await planned((variant) => (without(variant) ? scan : undefined));
    for (const { facts, conditions } of mixed.trials)
      if (!without(conditions.variant)) facts.genericPlans = { 77: index };
    expect(plans(mixed)).toEqual({ same: 0, differing: [] });
  });

  it('say how many trials had them if a plan changed in between', async () => {
    const { result } = await planned((variant, block) => (variant.startsWith('without') || block === 1 ? scan : index));
    const [base = '', candidate = ''] = variantsOf(result);
    expect(plans(result).differing[0]?.plans).toEqual([
      { plan: scan, sides: [base, `${candidate} (1 of 6 trials)`] },
      { plan: index, sides: [`${candidate} (5 of 6 trials)`] },
    ]);
  });

  it('are shown if half of the trials of one side have another one, and are never the same then', async () => {
    const { result } = await planned((variant, block) => (variant.startsWith('without') || block > 3 ? index : scan));
    const [base = '', candidate = ''] = variantsOf(result);
    expect(plans(result)).toMatchObject({
      same: 0,
      differing: [
        {
          plans: [
            { plan: index, sides: [base, `${candidate} (3 of 6 trials)`] },
            { plan: scan, sides: [`${candidate} (3 of 6 trials)`] },
          ],
        },
      ],
    });
  });

  it('are shown if they changed on both sides alike, or on the only side that has any', async () => {
    const alike = (await planned((_, block) => (block > 2 ? index : scan))).result;
    expect(plans(alike)).toMatchObject({ same: 0, differing: [{ plans: [{ plan: index }, { plan: scan }] }] });
    const one = await planned((variant, block) => (variant.startsWith('with-') ? undefined : block > 2 ? index : scan));
    expect(plans(one.result).differing[0]?.plans.map(({ sides }) => sides)).toEqual([
      [expect.stringMatching(/ \(4 of 6 trials\)$/)],
      [expect.stringMatching(/ \(2 of 6 trials\)$/)],
    ]);
  });

  it('are cut off in every report, however many lines and plans a file has', async () => {
    const long = Array.from({ length: 3000 }, (_, line) => `  ->  Index Scan on part_${line} ${'x'.repeat(5000)}`).join(
      '\n',
    );
    const { result, series } = await planned((variant, block) => `${variant} ${block}\n${long}`);
    const [statement] = plans(result).differing;
    expect(statement?.plans).toHaveLength(6);
    expect(statement?.more).toBe(6);
    const none = (await planned(() => undefined)).result;
    const added = {
      page: (await renderHtml(result, series)).length - (await renderHtml(none, series)).length,
      markdown: renderMarkdown(result).length - renderMarkdown(none).length,
    };
    for (const [report, characters] of Object.entries(added)) expect(characters, report).toBeLessThan(150_000);
    expect(renderMarkdown(result)).toMatch(/… 2941 more lines\n```[^]*6 more plans of this statement\./);
  });

  it('have no constants, and not more lines than a reader takes in', () => {
    expect(shownPlan(["  Filter: (name = 'a secret''s'::text)"])).toBe("  Filter: (name = '…'::text)");
    expect(shownPlan(["  Filter: (name = 'a secret", "on two rows'::text)"])).toBe("  Filter: (name = '…'::text)");
    expect(shownPlan([`  Filter: ("it's" = 'a secret'::text)`])).toBe(`  Filter: ("it's" = '…'::text)`);
    expect(shownPlan(['  Filter: ((salary2 > 123456789) AND (id = $3))', '  Workers Planned: 2'])).toBe(
      '  Filter: ((salary2 > …) AND (id = $3))\n  Workers Planned: 2',
    );
    expect(
      shownPlan(Array.from({ length: 90 }, () => 'Append'))
        .split('\n')
        .at(-1),
    ).toBe('… 50 more lines');
  });
});
