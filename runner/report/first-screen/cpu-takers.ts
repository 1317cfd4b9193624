import { noticedShare, programsIn, shareTaken } from '../../analysis/taken-by-others.ts';
import { maxTakenShare, neighbours, programName } from '../../analysis/validity/trial/neighbours.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import type { Neighbour, Trial } from '../../contract/trial.ts';
import { mean } from '../../statistics/summaries.ts';
import type { Reported } from '../reported.ts';
import { isExplained } from '../sections/worse.ts';

/** What used the CPUs besides the run, where that takes the verdict away; whole percents that add up as printed. */
export interface CpuTakers {
  /** Programs by name, the largest first; then other virtual machines, and all others together. */
  rows: { name: string; percent: number }[];
  percent: number;
  /** The most in percent that a trial may have beside it; null if none is set. */
  limit: number | null;
}

/** Shares of all CPUs. */
interface Taken {
  whole: number;
  stolen: number;
  programs: readonly Neighbour[];
  processors: number | null;
}

/** null unless other programs take the verdict away, and some of them are known by name. */
export function cpuTakers({ result, judged }: Pick<Reported, 'result' | 'judged'>): CpuTakers | null {
  const compared = judged.map((one) => one.of);
  const failed = result.trials.filter(({ checks }) =>
    checks.some(({ id, state }) => id === neighbours.id && state === 'fail'),
  );
  if (failed.length > 0 && compared.some(isWithheldForThem)) return inPercent(takenIn(failed, result), maxTakenShare);
  const explained = compared.find(isExplained);
  return explained?.beside ? inPercent(takenBeside(explained.beside, result), null) : null;
}

function isWithheldForThem({ withheld }: Comparison): boolean {
  return withheld.some(({ id }) => id === neighbours.id);
}

function takenIn(trials: readonly Trial[], { machine }: Pick<Result, 'machine'>): Taken {
  const known = trials.flatMap(({ measures }) => measures['driver.processors'] ?? []);
  return {
    whole: mean(trials.map(({ measures }) => shareTaken(measures) ?? 0)),
    stolen: mean(trials.map(({ measures }) => measures['driver.steal'] ?? 0)),
    programs: programsIn(trials),
    processors: known.length > 0 ? mean(known) : (machine?.processors ?? null),
  };
}

/** The means of both sides. */
function takenBeside({ taken, programs }: NonNullable<Comparison['beside']>, result: Result): Taken {
  const whole = (taken.baseline + taken.candidate) / 2;
  return { ...takenIn(result.trials, result), whole, stolen: 0, programs };
}

function inPercent({ whole, stolen, programs, processors }: Taken, limit: number | null): CpuTakers | null {
  if (programs.length === 0 || processors === null || processors <= 0) return null;
  const percentOf = (share: number): number => Math.round(share * 100);
  const named = [
    ...programs.map(({ name, processors: own }) => ({ name: programName(name), percent: percentOf(own / processors) })),
    ...(stolen >= noticedShare ? [{ name: 'other virtual machines', percent: percentOf(stolen) }] : []),
  ].filter(({ percent }) => percent > 0);
  const sum = named.reduce((total, { percent }) => total + percent, 0);
  const percent = Math.max(percentOf(whole), sum);
  const rest = percent - sum;
  return {
    rows: [...named, ...(rest > 0 ? [{ name: 'others', percent: rest }] : [])],
    percent,
    limit: limit === null ? null : percentOf(limit),
  };
}
