import { UserError } from '../contract/errors.ts';
import type { Trial } from '../contract/trial.ts';
import { mergeFindings } from '../storage/merge-findings.ts';
import type { Running } from './execution.ts';
import { type DescribedVariants, judgeTrial } from './trial-record.ts';

/**
 * Asks sources that answer only later about every finished trial. The answers are kept beside the trial, and the trial is
 * judged with them.
 */
export async function askLater(
  running: Running,
  variants: DescribedVariants,
  trials: readonly Trial[],
): Promise<Trial[]> {
  const { collectors, place, store, report, signal } = running;
  const finished = trials.filter(({ state }) => state === 'finished');
  const known = new Map(trials.map((trial) => [trial.id, trial]));
  if (signal.aborted) return [...trials];
  for (const { name, later } of collectors) {
    if (!later) continue;
    try {
      const context = place.eventsBetween ? { eventsBetween: place.eventsBetween } : {};
      for (const [id, { measures = {}, facts = {} }] of await later(finished, context)) {
        const trial = known.get(id);
        if (!trial) continue;
        await store.saveLater(id, { collector: name, measures, facts });
        const merged: Trial = { ...trial, ...mergeFindings([trial, { measures, facts }]) };
        known.set(id, { ...merged, checks: judgeTrial(running, variants, merged, await store.series.read(trial)) });
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      report({ kind: 'warning', text: `${name} could not be asked once more: ${error.message}` });
    }
  }
  return [...known.values()];
}
