import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { loadSeed } from '../../runner/experiment/plan/draws.ts';
import { resetTarget } from '../../runner/run/steps.ts';
import { targetAt } from '../../runner/places/place.ts';
import { equipmentOf, type ActiveRun } from '../../runner/run/run-shape.ts';
import { measureTrials } from '../../runner/run/trial.ts';
import type { DescribedVariants } from '../../runner/run/trial-record.ts';
import { describeVariants } from '../../runner/run/driver.ts';
import { readTransactionLogs } from '../../runner/workloads/pgbench/log/digest-log.ts';
import type { PgbenchWorkload } from '../../runner/workloads/pgbench/schema.ts';
import { transactionLog, transactionLogFolder } from '../../runner/workloads/pgbench/transaction-log.ts';
import { server } from './experiment.ts';
import type { Arm, Measured } from './judge.ts';
import { runPlainPgbench } from './plain.ts';

/** Everything that measuring needs, except what the arms differ in. */
export type Shared = Omit<ActiveRun, 'experiment' | 'tool' | 'collectors' | 'generatorsIn' | 'generatorAt'>;

export interface Arms {
  /** The load in words. */
  words: string;
  /** Names of the collectors of each arm that has any. */
  collectors: { on: string[]; off: string[] };
  /** Fills the database, and runs the load once, so that everything is in memory. */
  prepare(): Promise<void>;
  /** @param round from 1; with its position it is unique */
  measure(arm: Arm, round: number, position: number): Promise<Measured>;
}

/**
 * The arms on one server. All arms get the same reset before, and the same code reads their logs afterwards. So each
 * arm leaves the machine in the same state to the next one.
 *
 * @param shared.store holds the files of a trial until it has been measured
 */
export function openArms(
  shared: Shared,
  { experiment, workload, programs }: { experiment: Experiment; workload: PgbenchWorkload; programs: string },
): Arms {
  const { place, store, signal } = shared;
  const equipment = equipmentOf(experiment, { programs });
  const on: ActiveRun = { ...shared, experiment, ...equipment, generatorAt: equipment.generatorsIn(store.folder) };
  // Its load still writes the log: without it, there would be no percentiles to compare.
  const alone = { ...experiment, collect: [] };
  const off: ActiveRun = {
    ...shared,
    experiment: alone,
    ...equipmentOf(alone, { programs }),
    generatorAt: on.generatorAt,
  };
  const conditions = { variant: server };
  const target = targetAt(place, conditions);
  const untilDead = AbortSignal.any([signal, target.failed]);
  const { reset, seed } = experiment.protocol;
  const described = new Map<ActiveRun, DescribedVariants>();

  async function measureTrial(running: ActiveRun, id: string, block: number, position: number): Promise<Measured> {
    const [ended] = await measureTrials(running, described.get(running) ?? new Map(), {
      kind: 'measure',
      block,
      position,
      attempt: 1,
      trials: [{ id, conditions }],
      reset,
      warmUpSeconds: 0,
      trialSeconds: null,
      expectedSeconds: null,
    });
    signal.throwIfAborted();
    const { state, failure, measures } = ended?.trial ?? {};
    const { tps, 'latency.p99': p99Seconds = null } = measures ?? {};
    if (state !== 'finished' || !tps)
      throw new Error(`${id} did not finish: ${failure?.error ?? 'it has no throughput'}`);
    return { tps, p99Seconds };
  }

  async function measurePlain(
    folder: string,
    { round, isLogged }: { round: number; isLogged: boolean },
  ): Promise<Measured> {
    mkdirSync(folder, { recursive: true });
    await resetTarget(on, target, reset, untilDead);
    const options = { programs, scriptFolder: store.folder, workload, collect: isLogged ? [transactionLog.name] : [] };
    const tps = await runPlainPgbench(options, target, {
      folder,
      signal: untilDead,
      seed: loadSeed(seed, { block: round, attempt: 1 }, 'measure'),
    });
    return { tps, p99Seconds: null };
  }

  return {
    words: on.tool.words(workload).summary,
    collectors: { on: on.collectors.map(({ name }) => name), off: off.collectors.map(({ name }) => name) },
    async prepare() {
      const generator = await on.generatorAt({});
      const request = { folder: store.folder, seed, signal: untilDead, onProgress: () => undefined };
      await generator.load(target, request);
      // Once for all trials, as in a run.
      for (const running of [on, off]) {
        described.set(running, new Map((await describeVariants(running)).map((one) => [one.name, one])));
      }
      await generator.warmUp(target, { ...request, seconds: workload.durationSeconds ?? 1 });
    },
    async measure(arm, round, position) {
      const id = `round-${String(round).padStart(4, '0')}-${position}-${arm}`;
      const folder = path.join(store.folder, 'trials', id);
      try {
        if (arm === 'on') return await measureTrial(on, id, round, position);
        const measured =
          arm === 'off'
            ? await measureTrial(off, id, round, position)
            : await measurePlain(folder, { round, isLogged: arm === 'plain' });
        return arm === 'no-log' ? measured : { ...measured, p99Seconds: await readP99(folder) };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** In seconds; null if nothing was logged. */
async function readP99(folder: string): Promise<number | null> {
  const digest = await readTransactionLogs(path.join(folder, transactionLogFolder), { hasLag: false });
  return digest.latencySeconds.p99;
}
