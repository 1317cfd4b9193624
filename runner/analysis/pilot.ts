import type { Decision } from '../contract/experiment/schema.ts';
import { variance } from '../statistics/batches.ts';
import { blocksNeeded } from '../statistics/power.ts';
import type { Result } from '../contract/result.ts';
import type { Level } from '../contract/trial.ts';
import { experimentLevels } from '../experiment/plan/levels.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { toolOf } from '../workloads/registry.ts';
import { logRatios } from './log-ratios.ts';

/** What a pilot says of a planned experiment, for one candidate. */
export interface PilotFinding {
  candidate: string;
  /** The level, if something besides the variant is varied; otherwise empty. */
  conditions: Level;
  /** Blocks of the pilot that count. */
  blocks: number;
  /** Standard deviation of the blocks' log-ratios; null if fewer than two blocks count. */
  spread: number | null;
  /**
   * Blocks that find the effect with the wanted power; null if the spread is not known, or if `mostBlocks` are not enough.
   */
  blocksNeeded: number | null;
}

/** If more blocks were needed, longer trials or a larger effect would be better. */
export const mostBlocks = 200;

/**
 * How many blocks are needed to find an effect, if the blocks vary as those of the pilot.
 *
 * @param effect relative: 0.05 is +5 %
 * @param power chance of finding it, such as 0.8
 * @param random gives numbers that are uniform from 0 to 1
 */
export function judgePilot(
  { experiment, trials }: Pick<Result, 'experiment' | 'trials'>,
  { effect, power, decision, random }: { effect: number; power: number; decision: Decision; random: () => number },
): PilotFinding[] {
  const { definition, baseline } = experiment;
  const metric = metricNamed(decision.metric);
  const { limit } = toolOf(definition.workload).shape(definition.workload);
  const levels = experimentLevels(definition);
  return Object.keys(definition.variants)
    .filter((name) => name !== baseline)
    .flatMap((candidate) =>
      levels.map((level) => {
        const ratios = metric ? logRatios(trials, { baseline, candidate, level }, metric, limit) : [];
        const pilot = ratios.filter((ratio) => ratio !== null);
        const squared = variance(pilot);
        const request = { effect: Math.log1p(effect), pilot, level: decision.level, power, cap: mostBlocks };
        return {
          candidate,
          conditions: level,
          blocks: pilot.length,
          spread: squared === null ? null : Math.sqrt(squared),
          blocksNeeded: blocksNeeded({ ...request, random }),
        };
      }),
    );
}
