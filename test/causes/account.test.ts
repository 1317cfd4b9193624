import { expect, it } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import { accountOf } from './account.ts';

const pair = { block: 1, baseline: 1000, candidate: 250, change: -0.75 };
const tps = { metric: 'tps', primary: true, verdict: 'worse', withheld: [], change: -0.75, pairs: [pair] };
const time = [
  { kind: 'waiting', title: 'waits', baseline: 0.001, candidate: 0.025, share: 1 },
  { kind: 'rest', title: 'does the rest', baseline: 0.007, candidate: 0.007, share: 0 },
];
const link = { claim: 'more', metric: 'm', unit: 's', baseline: 1, candidate: 2, standing: 'holds' };
const mechanisms = [{ name: 'queue', title: 'a queue', kind: 'waiting', role: 'cause', links: [link] }];

function shownOf(changed: Record<string, unknown> = {}): string {
  const explanation = { baseline: 'a', candidate: 'b', time, mechanisms };
  const comparison = { ...tps, baseline: { variant: 'a' }, candidate: { variant: 'b' } };
  const experiment = { definition: { workload: { clients: 8 } } };
  return accountOf({
    experiment,
    comparisons: [comparison],
    explanations: [explanation],
    ...changed,
  } as unknown as Result);
}

it('shows what is named, its links, and that the kinds of time add up to clients / TPS', () => {
  expect(shownOf().split('\n')).toEqual([
    '  verdict: worse, change: -75%',
    '  cause: queue (a queue), 100% of the difference',
    '    link holds: more: m 1 to 2 s',
    '                 a                b  ms for each transaction',
    '             1.000           25.000  100%  waiting: waits',
    '             7.000            7.000  0%  rest: does the rest',
    '             8.000           32.000  sum',
    '             8.000           32.000  clients / TPS',
    '',
  ]);
});

it('says that nothing is named, that there are no times, and why there is no verdict', () => {
  const explanations = [{ baseline: 'a', candidate: 'b', time: [], mechanisms: [] }];
  expect(
    shownOf({
      explanations,
      comparisons: [
        { ...tps, verdict: null, change: null, withheld: [{ id: 'other-programs', message: 'busy', trial: null }] },
      ],
    }),
  ).toBe('  verdict: none, change: ?\n  withheld: busy\n  named: nothing\n  no times\n');
});
