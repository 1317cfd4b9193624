import { normalVariate } from '../../runner/statistics/distributions.ts';
import { measureCrossover, periodOf, type SimulatedCrossover } from './crossovers.ts';
import { seededRandom } from './noise.ts';
import { type Count, countOutcomes, rate, type Table } from './table.ts';
import { decideAlone } from './tool.ts';

const spread = 0.05;

/** An exchange reboots both instances. Here each reboot draws the difference between the hosts anew. */
function hostsAnew(of: Pick<SimulatedCrossover, 'exchanges' | 'blocks'>): SimulatedCrossover['hosts'] {
  return (random) => {
    const drawn = Array.from({ length: of.exchanges + 1 }, () => spread * normalVariate(random));
    // The exchanges are between the first and second period, the third and fourth, and so on.
    return (block) => drawn[Math.floor(periodOf(block, of) / 2)] ?? 0;
  };
}

export function countRebooted(
  exchanges: number,
  blocks: number,
  experiments: number,
): Record<'misses' | 'false', Count> {
  const random = seededRandom(blocks + exchanges);
  const of = { exchanges, blocks };
  const count = countOutcomes(experiments, () => {
    const { pairs } = measureCrossover({ ...of, hosts: hostsAnew(of) }, random);
    const { verdict, interval } = decideAlone(pairs);
    return {
      misses: interval !== null && (interval.low > 0 || interval.high < 0),
      false: verdict === 'better' || verdict === 'worse',
    };
  });
  return { misses: count('misses'), false: count('false') };
}

export function rebootsTable(experiments: number): Table {
  return {
    title: `**Crossover whose reboots set the hosts anew, by ${spread * 100}%, though nothing differs**`,
    head: ['exchanges', 'blocks', 'the interval misses', 'called better or worse'],
    rows: [
      [1, 12],
      [1, 24],
      [3, 18],
      [3, 36],
      [3, 60],
    ].map(([exchanges = 0, blocks = 0]) => {
      const found = countRebooted(exchanges, blocks, experiments);
      return [String(exchanges), String(blocks), rate(found.misses), rate(found.false)];
    }),
  };
}
