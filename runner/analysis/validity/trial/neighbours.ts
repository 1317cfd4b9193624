import type { Neighbour, Trial } from '../../../contract/trial.ts';
import { noticedShare, shareTaken } from '../../taken-by-others.ts';
import { fail, type Finding, notAssessed, pass, type TrialCheck, type TrialContext, warn } from '../check.ts';
import { wholePercent } from '../../../contract/format.ts';

/** Share of all processors from which on a trial is lost, if the machine must be quiet. */
export const maxTakenShare = 0.15;

/**
 * Whether other programs, or other virtual machines, took processors of the machine of the load. Locally, they also
 * take what the servers need. The verdict takes into account what they can explain (analysis/disturbance.ts), so they
 * spoil a trial only if the experiment says that the machine must be quiet.
 */
export const neighbours: TrialCheck = {
  id: 'other-programs',
  name: 'other programs',
  couldChange: 'answer',
  isNamedByFinding: true,
  remedy: 'Stop the other programs or use a dedicated machine, then rerun.',
  judge: (trial, { place, experiment: { protocol } }) => {
    const { share, ...found } = takenByOthers(trial, place);
    const mustBeQuiet = place.sharesMachine && protocol.quietMachine === 'required';
    return mustBeQuiet && isBusy(share) ? fail(found.finding, 'other-programs') : found;
  },
};

/** Whether a trial beside others that take this share is lost, if the machine must be quiet. */
export function isBusy(share: number | null): boolean {
  return share !== null && share >= maxTakenShare;
}

/** A program that is not of the run, with the processors that it took, such as `cc1 1.25`. */
export function programWords({ name, processors }: Neighbour): string {
  return `${programName(name)} ${processors.toFixed(2)}`;
}

/** Whoever measures servers takes a server for one of theirs. */
export function programName(name: string): string {
  return name === 'postgres' ? `${name} (a server that is not of this run)` : name;
}

/** The same for any span of time that was observed like a trial, with the share of the processors; null if unknown. */
export function takenByOthers(
  { measures = {}, facts = {} }: Partial<Pick<Trial, 'measures' | 'facts'>>,
  { sharesMachine }: Pick<TrialContext['place'], 'sharesMachine'>,
): Finding & { share: number | null } {
  const share = shareTaken(measures);
  if (share === null) return { ...notAssessed('no data on other processes'), share };
  const { 'driver.steal': steal } = measures;
  const names = (facts.neighbours ?? []).map(programWords);
  const takers = [
    ...(names.length > 0 ? [`${names.join(', ')} CPUs`] : []),
    ...(steal && steal >= noticedShare ? [`other virtual machines ${wholePercent(steal)}`] : []),
  ];
  const whose = sharesMachine ? 'this machine’s' : 'the driver’s';
  const words = `other programs used ${wholePercent(share)} of ${whose} CPUs${takers.length > 0 ? ` (${takers.join('; ')})` : ''}`;
  return { ...(share < noticedShare ? pass : warn)(words), share };
}
