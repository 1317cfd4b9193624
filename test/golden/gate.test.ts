import { expect, it } from 'vitest';
import { gateFinding } from '../../runner/analysis/gate.ts';
import type { Gate } from '../../runner/contract/gate.ts';
import { gateJunit } from '../../runner/report/gate/junit.ts';
import { gateSummary } from '../../runner/report/gate/summary.ts';
import { gateLine } from '../../runner/report/gate/words.ts';
import { goldenResults } from './golden-results.ts';

const measured = ['verdict', 'worse', 'equivalent', 'inconclusive', 'withheld'] as const;

it.each(measured)('a gate tells a result that is %s, in a line, in Markdown and as JUnit', async (name) => {
  const result = (await goldenResults[name]?.())?.result;
  const own = result?.comparisons.find(({ primary, withheld }) => primary || withheld.length > 0);
  if (!result || !own) throw new Error('no result');
  const found: Gate = {
    kind: 'pgduet-gate',
    experiment: 'shop',
    ...gateFinding(own, result.experiment.definition.decision.practicalThreshold),
    base: { ref: 'origin/main', commit: 'a1b2c3d4'.repeat(5) },
    head: { ref: 'HEAD', commit: 'e5f6a7b8'.repeat(5) },
    metric: own.metric,
    threshold: result.experiment.definition.decision.practicalThreshold,
    ...{ change: own.change, interval: own.interval, control: null, finds: null, blocks: own.candidate.n },
    run: 'results/shop-gate/2026-11-30T10-00-00Z',
  };
  const shown = `${gateLine(found)}\n\n${gateSummary(found, result)}\n${gateJunit(found)}`;
  await expect(shown).toMatchFileSnapshot(`gates/${name}.txt`);
});
