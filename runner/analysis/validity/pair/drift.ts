import { type CountedPair, trialsOfPair } from '../../../contract/comparison.ts';
import { median } from '../../../statistics/summaries.ts';
import { type Trend, trendOf } from '../../../statistics/trend.ts';
import { changesOf, metricNamed } from '../../../metrics/catalogue.ts';
import { notAssessed, type PairCheck, pass, warn } from '../check.ts';
import { movedWords } from '../../../contract/format-change.ts';

/** With fewer blocks, not even values that rise in every block are beyond chance. */
const minBlocks = 5;
const maxChance = 0.05;

/**
 * Whether one variant became slower or faster from block to block, but not the other. Then the effect depends on the
 * length of the run: a table that ages, for example, ages more on the side that writes more.
 */
export const drift: PairCheck = {
  id: 'drift',
  name: 'drift',
  remedy: 'Restore the data before each block (protocol.reset), or find out what changes over time, then rerun.',
  judge: ({ experiment }, { comparison, baseline, candidate }) => {
    const isDifference = metricNamed(comparison.metric)?.compared === 'difference';
    const blockOf = (pair: CountedPair): number => trialsOfPair(pair)[0]?.block ?? 0;
    const numbers = [...new Set(comparison.pairs.map(blockOf))].sort((one, other) => one - other);
    const inOrder = numbers.map((number) => {
      const pairs = comparison.pairs.filter((pair) => blockOf(pair) === number);
      return {
        baseline: median(pairs.map((pair) => pair.baseline)) ?? 0,
        candidate: median(pairs.map((pair) => pair.candidate)) ?? 0,
      };
    });
    if (inOrder.length < minBlocks) {
      return notAssessed(`detecting drift takes at least ${minBlocks} blocks`);
    }
    if (!isDifference && inOrder.some((block) => block.baseline <= 0 || block.candidate <= 0)) {
      return notAssessed('a value of zero has no ratio to the others');
    }
    const changeOf = (
      valueOf: (block: (typeof inOrder)[number]) => number,
    ): { change: number; beyondChance: boolean } => {
      const { perStep, chance } = trendOf(
        inOrder.map((block) => (isDifference ? valueOf(block) : Math.log(valueOf(block)))),
      ) as Trend;
      const whole = perStep * (inOrder.length - 1);
      return { change: isDifference ? whole : Math.expm1(whole), beyondChance: chance <= maxChance };
    };
    const { practicalThreshold } = experiment.definition.decision;
    const effect = changeOf((block) =>
      isDifference ? block.candidate - block.baseline : block.candidate / block.baseline,
    );
    if (!effect.beyondChance || Math.abs(effect.change) <= practicalThreshold) {
      return pass('no variant drifted relative to the other');
    }
    const moved = ({ change }: typeof effect): string => movedWords(change, changesOf(comparison.metric, change));
    const sides = (['baseline', 'candidate'] as const).flatMap((side) => {
      const own = changeOf((block) => block[side]);
      return own.beyondChance ? [`${{ baseline, candidate }[side].label} ${moved(own)}`] : [];
    });
    const what = `${candidate.label} ${isDifference ? 'minus' : 'divided by'} ${baseline.label} ${moved(effect)}`;
    const who = sides.length > 0 ? sides.join(', ') : 'neither side alone moved beyond noise';
    return warn(
      `from the first block to the last, ${what} (${who}): the effect depends on run length. Restore the data before each block (protocol.reset), or find out what changes over time`,
    );
  },
};
