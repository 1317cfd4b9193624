import { always, fewNoises, noises, periodic, seededRandom } from './noise.ts';
import { measureInARow } from './experiments.ts';
import { type Outcomes, simulate, worstPeriod } from './simulations.ts';
import { countOutcomes, percent, rate, type Table } from './table.ts';
import { decision } from './tool.ts';
import { worstDisturbance } from './worst-disturbance.ts';

const blockCounts = [6, 8, 10, 20];
const blockHeads = blockCounts.map((blocks) => `${blocks} blocks`);

/** A/A: what pgduet says about variants that do not differ. */
export function nothingDiffersTables(experiments: number): Table[] {
  const cases = [
    ...noises.map((noise) => ({ name: noise.name, noiseFor: () => noise })),
    {
      name: 'periodic disturbance (5% up and down), the worst of 23 periods from 2 to 40 trials',
      noiseFor: (blocks: number) => worstPeriod(blocks, searched(experiments)),
    },
  ].map(({ name, noiseFor }) => ({
    name,
    outcomes: blockCounts.map((blocks) => simulate({ noise: noiseFor(blocks), blocks, experiments })),
  }));
  const rowsOf = (outcome: 'differs' | 'excludesZero') =>
    cases.map(({ name, outcomes }) => [name, ...outcomes.map((one) => rate(one[outcome]))]);
  return [
    {
      title: '**A/A: how often the verdict is better or worse although nothing differs**',
      head: ['noise', ...blockHeads],
      rows: rowsOf('differs'),
    },
    {
      title:
        '**A/A: how often the interval excludes zero**, which is the rate of false verdicts at a threshold near zero',
      head: ['noise', ...blockHeads],
      rows: rowsOf('excludesZero'),
    },
    ordersTable(experiments),
  ];
}

/** Why orders are drawn: disturbances can coincide with an order, or with a balance, that is the same each time. */
function ordersTable(experiments: number): Table {
  const row = (name: string, outcomes: Outcomes[]): string[] => [
    name,
    ...outcomes.map(({ excludesZero }) => rate(excludesZero)),
  ];
  const worst = blockCounts.map((blocks) => ({ blocks, ...worstDisturbance(blocks, decision.level) }));
  const exact = worst.map(({ balanced, coins }) => `${percent(coins)}, and ${percent(balanced)} if balanced`);
  return {
    title: '**Orders: how often the interval of variants that do not differ excludes zero**',
    head: ['disturbance', ...blockHeads],
    rows: [
      row(
        'a period of 2.75 trials',
        blockCounts.map((blocks) => simulate({ noise: periodic(2.75), blocks, experiments })),
      ),
      row(
        'the worst of 23 periods',
        blockCounts.map((blocks) =>
          simulate({ noise: worstPeriod(blocks, searched(experiments)), blocks, experiments }),
        ),
      ),
      row(
        'a series that is the worst for balanced orders',
        worst.map(({ blocks, trials }) => simulate({ noise: always('worst', trials), blocks, experiments })),
      ),
      ['the same, calculated exactly', ...exact],
    ],
  };
}

/** Experiments at each period, to find the worst one. */
const searched = (experiments: number): number => Math.ceil(experiments / 20);

/** Three runs of one variant, then three of the other. */
export function oldWayTable(experiments: number): Table {
  return {
    title: '**The old way: three runs each in a row; how often Welch’s t-test calls equal variants different**',
    head: ['noise', 'of the seconds', 'of the means of the runs'],
    rows: fewNoises.map((noise) => {
      const random = seededRandom(3);
      const count = countOutcomes(experiments, () => ({ ...measureInARow(noise, random) }));
      return [noise.name, rate(count('bySeconds')), rate(count('byMeans'))];
    }),
  };
}
