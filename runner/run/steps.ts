import { wordsOf, UserError } from '../contract/errors.ts';
import { ownCommand } from '../contract/own-command.ts';
import type { CrossoverStep, SettleStep, SnapshotStep, TouchStep } from '../contract/plan.ts';
import type { CarriedOutStep } from '../contract/result.ts';
import { placeNamed } from '../places/registry.ts';
import { lockedPlace } from '../places/locked-place.ts';
import { type Place, targetAt } from '../places/place.ts';
import { databaseLocks, ghostSeconds } from '../postgres/database-lock.ts';
import { completeEmptying } from '../postgres/database-sessions.ts';
import { completeRestore, keepLoadedCopy } from '../postgres/loaded-copy.ts';
import { proveAllInForce } from '../postgres/in-force.ts';
import { carryOut, carryOutAndSave, type StepFindings } from './carry-out-step.ts';
import type { Run, ActiveRun } from './run-shape.ts';
import { serverName, serversOf } from '../contract/server.ts';
import { allOrNone, withConnection } from '../postgres/connect.ts';
import { readDatabase, resetDatabase, type ResetReport } from '../postgres/reset.ts';
import { readMarks, requireEqualContents, requireRestored, markRestored } from './loaded-data.ts';
import { withTries } from './retry.ts';
import type { Target } from '../postgres/target.ts';
import { analyzePermitted } from '../postgres/vacuum.ts';

/**
 * Starts or finds the variants, and proves that they are what was asked for. Locks their databases against other
 * runners until the place is closed.
 *
 * @param period in a crossover, the period of the first trial to measure
 */
export async function create(
  execution: Run,
  period: number | undefined,
): Promise<{ place: Place; done: CarriedOutStep }> {
  const { plan, openPlace, pause, signal } = execution;
  const step = plan.steps.find(({ kind }) => kind === 'create');
  if (step?.kind !== 'create') throw new Error('a plan that creates nothing');
  let opened: Place | undefined;
  try {
    const done = await carryOut(execution, step, async (found) => {
      const unlocked = await openPlace();
      await requireRestarts(execution, unlocked);
      // On one machine, the operating system ends the connections of a runner that was killed.
      const onWait = (text: string): void => execution.report({ kind: 'waiting', text });
      const patienceSeconds = placeNamed(unlocked.kind).sharesMachine ? 0 : ghostSeconds;
      opened = await lockedPlace(unlocked, databaseLocks({ patienceSeconds, pause, onWait }), signal);
      if (period !== undefined) await crossPlaceOver(opened, period, { found, signal });
      const isLoaded = plan.steps.some(({ kind }) => kind === 'load');
      for (const target of opened.targets.values()) {
        await completeRestore(target, signal);
        // A server restored from a snapshot is never emptied. If its database is missing, it is the wrong snapshot.
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

/** Reports what went wrong while closing a place because of another error. */
export function warnOf(error: unknown, { report }: Pick<Run, 'report'>): void {
  report({ kind: 'warning', text: wordsOf(error) });
}

/** @throws {UserError} if servers must be restarted before each trial but cannot be; the place is then closed */
async function requireRestarts({ experiment }: Run, place: Place): Promise<void> {
  if (place.restart || !experiment.protocol.reset.includes('restart')) return;
  await place.close({ keep: true });
  throw new UserError(
    `protocol.reset: restart is not possible for servers kept by an earlier command. Load and run with one command: ${ownCommand} load-run ${experiment.name} --local.`,
  );
}

export async function settle(running: ActiveRun, step: SettleStep): Promise<void> {
  await carryOutAndSave(running, step, () => running.pause(step.expectedSeconds, running.signal));
}

/** Exchanges the log volumes between the instances. Does nothing if that has already been done. */
export async function crossOver(running: ActiveRun, step: CrossoverStep): Promise<void> {
  const { place, signal } = running;
  await carryOutAndSave(running, step, (found) => crossPlaceOver(place, step.period, { found, signal }));
}

async function crossPlaceOver(
  place: Place,
  period: number,
  { found, signal }: { found: StepFindings; signal: AbortSignal },
): Promise<void> {
  if (!place.crossOver) throw new UserError('protocol.crossover: a crossover needs deployed variants.');
  const switches = await place.crossOver(period, signal);
  if (switches.length > 0) found.switches = switches;
}

/** Keeps a snapshot of the loaded data from one server: those of all variants hold the same data. */
export async function snapshot(running: ActiveRun, step: SnapshotStep): Promise<void> {
  const { place, plan, report, signal, startedAt } = running;
  await carryOutAndSave(running, step, async (found) => {
    const [server] = serversOf(step.variants, plan.replicas);
    if (!server) throw new Error('a snapshot of no variant');
    if (!place.keepSnapshot) throw new UserError('data.keep: pgduet can keep the data of deployed variants only.');
    await place.activateOnly([], signal);
    found.snapshot = await place.keepSnapshot(targetAt(place, server).server, {
      startedAt,
      signal,
      onProgress: (done) => report({ kind: 'loading', step: 'snapshot', conditions: server, done }),
    });
    await place.activateOnly([], signal);
    const { name, deleteCommand } = found.snapshot;
    report({
      kind: 'warning',
      text: `pgduet saved the loaded data as snapshot ${name}. AWS bills for it until you delete it: ${deleteCommand}`,
    });
  });
}

/**
 * Proves that servers that were restored from a snapshot hold the data of this experiment, makes their statistics anew,
 * because RDS may have upgraded them, and reads all of the data once.
 * Keeps how much data that was and how long it took: the cost of restoring instead of loading.
 */
export async function readIntoCache(running: ActiveRun, step: TouchStep): Promise<void> {
  const { plan, place, report, now, signal } = running;
  await carryOutAndSave(running, step, async (found) => {
    await place.activateOnly([], signal);
    await requireRestored(running);
    const touched = (found.touched = new Array<{ server: string; bytes: number; seconds: number }>());
    await allOrNone(serversOf(step.variants, plan.replicas), async (conditions, ended) => {
      const target = targetAt(place, conditions);
      const either = AbortSignal.any([signal, ended, target.failed]);
      await withTries(running, `Hydrating ${target.server}`, either, async () => {
        await withConnection(target, analyzePermitted, either, { long: true });
        const start = now().getTime();
        const { bytes } = await readDatabase(target, {
          into: 'nothing',
          signal: either,
          onProgress: (done) => report({ kind: 'loading', step: 'touch', conditions, done }),
        });
        const seconds = (now().getTime() - start) / 1000;
        touched.push({ server: serverName(conditions), bytes, seconds });
        report({ kind: 'touched', conditions, bytes, seconds });
      });
      await markRestored(running, conditions, target, either);
      // The snapshot may contain no copy, or one of other data.
      if (step.keepCopy) await keepLoadedCopy(target, either);
    });
    requireEqualContents(running, await readMarks(running));
  });
}

/** Brings a server to the state in which every trial starts, with the general steps and those of the tool. */
export async function resetTarget(
  { tool, generatorAt, plan, place }: Pick<ActiveRun, 'tool' | 'generatorAt' | 'plan' | 'place'>,
  target: Target,
  steps: readonly string[],
  signal: AbortSignal,
): Promise<ResetReport> {
  const byGenerator =
    (step: string) =>
    async (stepSignal: AbortSignal): Promise<void> => {
      const generator = await generatorAt(plan.levels[0] ?? {});
      if (!generator.reset) throw new Error(`nothing of ${tool.name} runs the reset step ${step}`);
      await generator.reset(target, step, { signal: stepSignal });
    };
  const own = Object.entries(tool.resetSteps).map(
    ([step, { statements }]) => [step, { statements: statements ?? byGenerator(step) }] as const,
  );
  const restart = place.restart && ((until: AbortSignal) => place.restart?.(target.server, until) ?? Promise.resolve());
  return resetDatabase(target, { steps, own: Object.fromEntries(own), restart }, signal);
}
