import { UserError } from '../contract/errors.ts';
import type { LogVolumeSwitch } from '../contract/log-volume-switch.ts';
import type { CrossOverStep, LoadStep, MeasureStep, SettleStep, Step } from '../contract/plan.ts';
import type { CarriedOutStep } from '../contract/result.ts';
import { serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { type Place, targetAt } from '../places/place.ts';
import { proveAllInForce } from '../postgres/in-force.ts';
import { keepLoadedCopy } from '../postgres/loaded-copy.ts';
import type { Execution, Running } from './execution.ts';

/**
 * Starts or finds the variants, and proves that they are what was asked for.
 *
 * @param period in a crossover, the period of the first trial to measure
 */
export async function create(
  execution: Execution,
  period: 1 | 2 | undefined,
): Promise<{ place: Place; done: CarriedOutStep }> {
  const { plan, openPlace, signal } = execution;
  const step = plan.steps.find(({ kind }) => kind === 'create');
  if (step?.kind !== 'create') throw new Error('a plan that creates nothing');
  let opened: Place | undefined;
  try {
    const done = await carryOut(execution, step, async () => {
      opened = await openPlace();
      const switches = period === undefined ? [] : await enterPeriod(opened, period, signal);
      await proveAllInForce([...opened.targets.values()], signal);
      return switches;
    });
    if (!opened) throw new Error('a step that created no place');
    return { place: opened, done };
  } catch (error) {
    await opened?.close({ keep: false });
    throw error;
  }
}

/** Fills the databases of the variants, one variant after another, the servers of each at the same time. */
export async function load(running: Running, step: LoadStep): Promise<void> {
  const { plan, place, signal } = running;
  await carryOutAndSave(running, step, async () => {
    await place.putUnderTest([], signal);
    for (const variant of step.variants) {
      const ended = new AbortController();
      const loads = serversOf([variant], plan.replicas).map((server) =>
        // Otherwise the other servers would go on loading for hours.
        loadServer(running, step, server, ended.signal).catch((error: unknown) => {
          ended.abort(error);
          throw error;
        }),
      );
      await Promise.allSettled(loads);
      await Promise.all(loads);
    }
    return [];
  });
}

async function loadServer(
  { generatorAt, plan, place, store, report, signal: interrupted, now }: Running,
  { keepCopy }: LoadStep,
  server: Conditions,
  ended: AbortSignal,
): Promise<void> {
  const target = targetAt(place, server);
  const signal = AbortSignal.any([interrupted, ended, target.failed]);
  const generator = await generatorAt(plan.levels[0] ?? {});
  const start = now().getTime();
  await generator.load(target, {
    folder: store.folder,
    signal,
    onProgress: (done) => report({ kind: 'loading', conditions: server, done }),
  });
  if (keepCopy) await keepLoadedCopy(target, signal);
  report({ kind: 'loaded', conditions: server, seconds: (now().getTime() - start) / 1000 });
}

export async function settle(running: Running, step: SettleStep): Promise<void> {
  await carryOutAndSave(running, step, async () => {
    await running.pause(step.expectedSeconds, running.signal);
    return [];
  });
}

/** Exchanges the log volumes between the instances. Does nothing if that is done already. */
export async function crossOver(running: Running, step: CrossOverStep): Promise<void> {
  await carryOutAndSave(running, step, () => enterPeriod(running.place, step.period, running.signal));
}

function enterPeriod(place: Place, period: 1 | 2, signal: AbortSignal): Promise<LogVolumeSwitch[]> {
  if (!place.enterPeriod) throw new UserError('protocol.crossover: only deployed variants can be crossed over.');
  return place.enterPeriod(period, signal);
}

/**
 * Carries out a step that is not a measurement, and reports it.
 *
 * @returns what to keep of the step
 */
async function carryOut(
  { report, now }: Execution,
  step: Exclude<Step, MeasureStep>,
  work: () => Promise<LogVolumeSwitch[]>,
): Promise<CarriedOutStep> {
  report({ kind: 'step-started', step });
  const startedAt = now().toISOString();
  const switches = await work();
  return {
    step: step.kind,
    startedAt,
    endedAt: now().toISOString(),
    ...(switches.length > 0 ? { switches } : {}),
  };
}

async function carryOutAndSave(
  running: Running,
  step: Exclude<Step, MeasureStep>,
  work: () => Promise<LogVolumeSwitch[]>,
): Promise<void> {
  const done = await carryOut(running, step, work);
  await running.store.saveStep(done);
  running.steps.push(done);
}
