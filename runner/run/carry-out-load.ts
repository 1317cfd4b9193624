import type { Execution } from './execution.ts';
import { keepLoadedCopy } from '../postgres/loaded-copy.ts';

/** Fills the database of every variant, one after another, and lets them settle. */
export async function carryOutLoad(execution: Execution): Promise<void> {
  const { plan, place, generator, store, report, signal, now } = execution;
  await place.putUnderTest([], signal);
  for (const step of plan.steps) {
    if (step.kind !== 'load' && step.kind !== 'settle') continue;
    report({ kind: 'step-started', step });
    if (step.kind === 'settle') {
      await execution.pause(step.expectedSeconds, signal);
      continue;
    }
    for (const variant of step.variants) {
      const target = place.targets.get(variant);
      if (!target) throw new Error(`no target for variant ${variant}`);
      const start = now().getTime();
      await generator.load(target, {
        folder: store.folder,
        signal: AbortSignal.any([signal, target.failed]),
        onProgress: (done) => report({ kind: 'loading', variant, done }),
      });
      if (step.keepCopy) await keepLoadedCopy(target, signal);
      report({ kind: 'loaded', variant, seconds: (now().getTime() - start) / 1000 });
    }
  }
}
