import type { Decision } from '../contract/experiment/schema.ts';
import { variance } from '../statistics/batches.ts';
import { blocksNeeded } from '../statistics/power.ts';
import type { Result } from '../contract/result.ts';
import type { Level } from '../contract/trial.ts';
import { levelsOf } from '../experiment/plan/levels.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { toolOf } from '../workloads/registry.ts';
import { logRatios } from './log-ratios.ts';

/** What a pilot says of an experiment to come, for one candidate. */
export interface PilotFinding {
  candidate: string;
  /** What else is varied; empty where nothing is. */
  conditions: Level;
  /** Blocks of the pilot that count. */
  blocks: number;
  /** Standard deviation of a block's log-ratio; null where the pilot has fewer than two. */
  spread: number | null;
  /** Blocks in which the effect is found with the wanted power; null where the spread is not known, or `mostBlocks` do not suffice. */
  blocksNeeded: number | null;
}

/** Whoever needs more had better make the trials longer or the effect larger. */
export const mostBlocks = 200;

/**
 * How many blocks an effect needs, if they vary as those of the pilot.
 *
 * @param effect relative: 0.05 is +5 %
 * @param power chance of finding it, such as 0.8
 * @param random uniform on 0 to 1
 */
export function judgePilot(
  { experiment, trials }: Pick<Result, 'experiment' | 'trials'>,
  { effect, power, decision, random }: { effect: number; power: number; decision: Decision; random: () => number },
): PilotFinding[] {
  const { definition, baseline } = experiment;
  const metric = metricNamed(decision.metric);
  const tool = toolOf(definition.workload);
  const { limit } = tool.shape(definition.workload);
  const levels = levelsOf(tool.axes(definition.workload));
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
