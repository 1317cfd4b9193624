import { UserError } from '../contract/errors.ts';
import type { CrossOverStep, SettleStep } from '../contract/plan.ts';
import type { CarriedOutStep } from '../contract/result.ts';
import { placeNamed } from '../places/registry.ts';
import { lockedPlace } from '../places/locked-place.ts';
import type { Place } from '../places/place.ts';
import { databaseLocks, ghostSeconds } from '../postgres/database-lock.ts';
import { completeEmptying } from '../postgres/empty-database.ts';
import { completeRestore } from '../postgres/loaded-copy.ts';
import { proveAllInForce } from '../postgres/in-force.ts';
import { carryOut, carryOutAndSave, type StepFindings } from './carry-out-step.ts';
import type { Execution, Running } from './execution.ts';

/**
 * Starts or finds the variants, locks their databases against other runners until the place is closed, and proves that they
 * are what was asked for.
 *
 * @param period in a crossover, the period of the first trial to measure
 */
export async function create(
  execution: Execution,
  period: number | undefined,
): Promise<{ place: Place; done: CarriedOutStep }> {
  const { plan, openPlace, pause, signal } = execution;
  const step = plan.steps.find(({ kind }) => kind === 'create');
  if (step?.kind !== 'create') throw new Error('a plan that creates nothing');
  let opened: Place | undefined;
  try {
    const done = await carryOut(execution, step, async (found) => {
      const unlocked = await openPlace();
      await demandRestarts(execution, unlocked);
      // On one machine, the system ends the connections of a runner that was killed.
      const onWait = (text: string): void => execution.report({ kind: 'waiting', text });
      const patienceSeconds = placeNamed(unlocked.kind).sharesMachine ? 0 : ghostSeconds;
      opened = await lockedPlace(unlocked, databaseLocks({ patienceSeconds, pause, onWait }), signal);
      if (period !== undefined) await enterPeriod(opened, period, { found, signal });
      const isLoaded = plan.steps.some(({ kind }) => kind === 'load');
      for (const target of opened.targets.values()) {
        await completeRestore(target, signal);
        // What was restored from a snapshot is never emptied: without its database, it is another snapshot.
        if (isLoaded) await completeEmptying(target, signal);
      }
      await proveAllInForce([...opened.targets.values()], signal);
    });
    if (!opened) throw new Error('a step that created no place');
    return { place: opened, done };
  } catch (error) {
    await opened?.close({ keep: false }).catch((left: unknown) => warnOf(left, execution));
    throw error;
  }
}

/** Says what went wrong while a place was closed because of something else. */
export function warnOf(error: unknown, { report }: Pick<Execution, 'report'>): void {
  report({ kind: 'warning', text: error instanceof Error ? error.message : String(error) });
}

/** @throws {UserError} if servers are to be restarted before each trial, and nobody can do that; the place is closed then */
async function demandRestarts({ experiment }: Execution, place: Place): Promise<void> {
  if (place.restart || !experiment.protocol.reset.includes('restart')) return;
  await place.close({ keep: true });
  throw new UserError(
    'protocol.reset: servers that an earlier command kept cannot be restarted. Load and run in one go: npx pgduet load-run.',
  );
}

export async function settle(running: Running, step: SettleStep): Promise<void> {
  await carryOutAndSave(running, step, () => running.pause(step.expectedSeconds, running.signal));
}

/** Exchanges the log volumes between the instances. Does nothing if that is done already. */
export async function crossOver(running: Running, step: CrossOverStep): Promise<void> {
  const { place, signal } = running;
  await carryOutAndSave(running, step, (found) => enterPeriod(place, step.period, { found, signal }));
}

async function enterPeriod(
  place: Place,
  period: number,
  { found, signal }: { found: StepFindings; signal: AbortSignal },
): Promise<void> {
  if (!place.enterPeriod) throw new UserError('protocol.crossover: only deployed variants can be crossed over.');
  const switches = await place.enterPeriod(period, signal);
  if (switches.length > 0) found.switches = switches;
}
