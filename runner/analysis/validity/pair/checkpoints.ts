import { notAssessed, pass, warn } from '../findings.ts';
import type { PairCheck } from '../pair-check.ts';

/** Trials that one side had more of, and their share of its trials, from which a verdict may rest on them. */
const notable = { trials: 2, share: 0.25 };

/**
 * Whether both sides had checkpoints in as many of their trials. A trial without one is faster than the variant is in the
 * long run.
 */
export const checkpoints: PairCheck = (_, { blocks, baseline, candidate }) => {
  const name = 'checkpoints';
  const counts = (['baseline', 'candidate'] as const).map((side) =>
    blocks.map((block) => block[side].measures['checkpoints.count'] ?? null),
  );
  if (blocks.length === 0 || counts.flat().includes(null)) return [notAssessed(name, 'they were not counted')];
  const [before = 0, after = 0] = counts.map((ofSide) => ofSide.filter((count) => count === 0).length);
  const words = `${before} of ${blocks.length} trials of ${baseline.label} and ${after} of ${blocks.length} of ${candidate.label} had none`;
  const apart = Math.abs(before - after);
  if (apart < notable.trials || apart / blocks.length < notable.share) {
    return [pass(name, before + after === 0 ? 'in all trials of both' : words)];
  }
  return [warn(name, `${words}: one side paid for checkpoints that the other was spared. Measure for longer`)];
};
