import type { LaterContext } from '../collect/collector.ts';
import { UserError } from '../contract/errors.ts';
import type { Trial } from '../contract/trial.ts';
import { withLater } from '../storage/stored-run.ts';
import type { ActiveRun } from './run-shape.ts';
import { type DescribedVariants, judgeTrial } from './trial-record.ts';

/**
 * Asks the sources that answer only later about every finished trial. It asks one source after another, so each sees
 * what the sources before it found. The answers are kept beside the trial, and the trial is judged with them. An
 * interruption ends the asking.
 */
export async function collectAfterRun(
  running: ActiveRun,
  variants: DescribedVariants,
  trials: readonly Trial[],
): Promise<Trial[]> {
  const { collectors, store, report, signal } = running;
  const known = new Map(trials.map((trial) => [trial.id, trial]));
  const context = laterContext(running);
  const hasEnded = (): boolean => signal.aborted;
  for (const { name, collectAfterRun: collect } of collectors) {
    if (!collect || hasEnded()) continue;
    const finished = [...known.values()].filter(({ state }) => state === 'finished');
    try {
      const found = await collect(finished, context);
      for (const text of new Set([...found.values()].flatMap(({ warnings = [] }) => warnings))) {
        report({ kind: 'warning', text });
      }
      for (const [id, { measures = {}, facts = {}, series = [] }] of found) {
        const trial = known.get(id);
        if (!trial) continue;
        const merged = withLater(trial, [await store.saveLater(id, { collector: name, measures, facts }, series)]);
        known.set(id, { ...merged, checks: judgeTrial(running, variants, merged, await store.series.read(merged)) });
      }
    } catch (error) {
      if (hasEnded()) continue;
      if (!(error instanceof UserError)) throw error;
      report({ kind: 'warning', text: `pgduet could not query ${name} again: ${error.message}` });
    }
  }
  return [...known.values()];
}

function laterContext({ place, store, now, pause, signal }: ActiveRun): LaterContext {
  return {
    ...(place.eventsBetween && { eventsBetween: place.eventsBetween }),
    ...(place.sources && { sources: place.sources }),
    now,
    pause: (seconds) => pause(seconds, signal),
    seriesOf: (trial) => store.series.read(trial),
  };
}
