import type { FinishedTrial, Trial } from './result.ts';

/**
 * The blocks in which both variants were measured to the end, and in words why the others do not count. A trial that was
 * repeated counts with its last finished attempt: the earlier one was repeated because it was not to be trusted.
 */
export function completeBlocks(
  trials: readonly Trial[],
  baseline: string,
  candidate: string,
): { blocks: (readonly [FinishedTrial, FinishedTrial])[]; warnings: string[] } {
  const numbers = [...new Set(trials.map(({ block }) => block))].sort((a, b) => a - b);
  const blocks: (readonly [FinishedTrial, FinishedTrial])[] = [];
  const warnings: string[] = [];
  for (const number of numbers) {
    const attempts = [baseline, candidate].map((variant) => attemptOf(trials, number, variant));
    const [before, after] = attempts;
    if (before?.trial && after?.trial) blocks.push([before.trial, after.trial]);
    else {
      const why = attempts.flatMap(({ problem }) => (problem === null ? [] : [problem]));
      warnings.push(`Block ${number} does not count for ${candidate} against ${baseline}: ${why.join('; ')}.`);
    }
  }
  return { blocks, warnings };
}

function attemptOf(
  trials: readonly Trial[],
  block: number,
  variant: string,
): { trial: FinishedTrial | null; problem: string | null } {
  const own = trials.filter((trial) => trial.block === block && trial.variant === variant);
  const finished = own.filter((trial): trial is FinishedTrial => trial.state === 'finished');
  const trial = finished.filter(({ run }) => run.complete).at(-1);
  if (trial) return { trial, problem: null };
  const last = own.at(-1);
  if (!last) return { trial: null, problem: `${variant} was not measured in it` };
  if (last.state === 'finished') return { trial: null, problem: `the run of ${last.id} is not complete` };
  return { trial: null, problem: `${last.id} ${last.state === 'failed' ? 'failed' : 'was interrupted'}` };
}
