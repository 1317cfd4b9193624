import path from 'node:path';
import { transactionsWanted } from '../analysis/validity/transaction-seconds.ts';
import { decidingMetric } from '../contract/experiment/schema.ts';
import { serverName, serversOf } from '../contract/server.ts';
import type { Conditions } from '../contract/trial.ts';
import { makeFolder, removeTree } from '../files/write.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { targetAt } from '../places/place.ts';
import type { TriedOut } from '../workloads/load-generator.ts';
import type { ActiveRun } from './run-shape.ts';
import { withCauseInParameter } from '../places/named-parameter.ts';
import { resetTarget } from './steps.ts';

/**
 * Tries the reset by files of the user, and each script, on one server after another: a mistake there would fail every
 * trial. Warm-up and reset make the same kind of changes.
 *
 * @param servers to try, if they were not tried before. @default all
 * @throws {UserError} with the file and the server's message
 */
export async function tryOut(
  running: ActiveRun,
  servers: readonly Conditions[] = serversOf(running.plan.variants, running.plan.replicas),
): Promise<void> {
  const { plan, place, tool, store, signal, generatorAt, experiment, tried } = running;
  const written = experiment.protocol.reset.filter((step) => tool.resetSteps[step]?.statements === null);
  const folder = path.join(store.folder, 'try-out');
  await place.activateOnly([], signal);
  for (const server of servers) {
    if (tried.has(serverName(server))) continue;
    const generator = await generatorAt(plan.levels[0] ?? {}, server.variant);
    if (!generator.tryScripts) return;
    const target = targetAt(place, server);
    running.report({ kind: 'trying-out', conditions: server });
    const either = AbortSignal.any([signal, target.failed]);
    await withCauseInParameter(target, async () => {
      await resetTarget(running, target, written, either);
      makeFolder(folder);
      try {
        await judge(
          running,
          serverName(server),
          (await generator.tryScripts?.(target, { folder, signal: either })) ?? null,
        );
      } finally {
        removeTree(folder);
      }
    });
  }
}

async function judge(running: ActiveRun, server: string, found: TriedOut | null): Promise<void> {
  const { tried } = running;
  const wasShort = [...tried.values()].some((one) => one !== null && shortTrials(running, one) !== null);
  tried.set(server, found);
  if (running.onTriedOut) {
    await running.onTriedOut(found);
    return;
  }
  if (!found) return;
  const words = wasShort ? null : shortTrials(running, found);
  if (words === null) return;
  running.report({
    kind: 'warning',
    text: `A transaction of ${found.script} takes ${seconds(found.seconds)} on ${server}. ${words}`,
  });
}

/** Seconds by which the load may take longer than planned, because each client finishes its last transaction. */
export function secondsOfLast({ tried }: Pick<ActiveRun, 'tried'>): number {
  return Math.round(slowdown * Math.max(0, ...[...tried.values()].map((one) => one?.seconds ?? 0)));
}

/** By which a transaction may take longer in a trial. */
const slowdown = 2;

/** Why trials of this length say little about such transactions, and the remedy; null if they are long enough. */
function shortTrials(
  { tool, experiment, plan }: Pick<ActiveRun, 'tool' | 'experiment' | 'plan'>,
  { seconds: each }: TriedOut,
): string | null {
  const { workload, decision } = experiment;
  const { durationSeconds, offeredPerSecond } = tool.shape(tool.resolveLevel(workload, plan.levels[0] ?? {}));
  if (durationSeconds === null || offeredPerSecond !== null) return null;
  const metric = metricNamed(decidingMetric(decision));
  const needed = transactionsWanted(metric) * each;
  if (durationSeconds >= needed) return null;
  const turns = Math.ceil(durationSeconds / each);
  const byLatency = Math.ceil(transactionsWanted(metricNamed('latency.average')) * each);
  const longer = byLatency > durationSeconds ? ` and workload.durationSeconds to ${byLatency}` : '';
  return [
    `In a trial of ${durationSeconds} s, a client has about ${turns === 1 ? 'one' : turns}.`,
    `Set workload.durationSeconds to ${Math.ceil(needed)}${metric?.kind === 'rate' ? `, or decision.metric to latency.average${longer}` : ''}.`,
  ].join(' ');
}

function seconds(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} s`;
}
