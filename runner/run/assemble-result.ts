import { keepLedger } from '../analysis/validity/ledger.ts';
import type { LogVolumeSwitch } from '../contract/log-volume-switch.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { readServerVersion, readSettings } from '../postgres/settings.ts';
import { withConnection } from '../postgres/connect.ts';
import { compareTrials } from '../analysis/compare.ts';
import { leaveOutStarts } from '../analysis/leave-out-starts.ts';
import { trialLimit } from '../metrics/catalogue.ts';
import { looksOf } from '../analysis/stopping.ts';
import type { Result, ResultVariant, Trial } from '../contract/result.ts';
import type { Outcome } from './carry-out-trials.ts';
import type { Execution } from './execution.ts';
import { LimitReached } from './time-limit.ts';

/** What the servers of the variants say of themselves; asked once, while they all run. */
export async function describeVariants({ place, experiment }: Execution): Promise<ResultVariant[]> {
  const described: ResultVariant[] = [];
  for (const [name, target] of place.targets) {
    const definition = experiment.variants[name];
    const facts = await withConnection(target, async (client) => ({
      serverVersion: (await readServerVersion(client)).text,
      settings: experiment.collect.includes('settings')
        ? await readSettings(client, Object.keys(definition?.engine.parameters ?? {}))
        : {},
    }));
    described.push({
      name,
      description: definition?.description ?? null,
      ...facts,
      ...(target.deployed ? { deployed: target.deployed } : {}),
    });
  }
  return described;
}

/** The result of all that was measured so far; comparisons are made anew from the trials each time. */
export function assembleResult(
  execution: Execution,
  outcome: Outcome,
  context: {
    startedAt: string;
    endedAt: string | null;
    variants: ResultVariant[];
    earlier: readonly Trial[];
    switches: readonly LogVolumeSwitch[];
  },
): Result {
  const { plan, experiment, place } = execution;
  const trials = leaveOutStarts(outcome.trials, experiment);
  const compared = compareTrials({
    trials,
    baseline: experiment.baseline,
    decision: experiment.decision,
    variants: plan.variants,
    contrasts: experiment.contrasts,
    looks: looksOf(experiment),
    crossover: experiment.protocol.crossover,
    limit: trialLimit(experiment.workload),
  });
  const stoppedBy = execution.signal.reason instanceof LimitReached ? execution.signal.reason.message : null;
  const result: Result = {
    kind: 'pgduet-result',
    schemaVersion: 1,
    toolVersion,
    experiment: {
      name: experiment.name,
      question: experiment.question,
      profile: plan.profile,
      baseline: experiment.baseline,
      seed: plan.seed,
      definition: experiment,
    },
    place: {
      kind: place.kind,
      description: place.description,
      caveats: [...place.caveats],
      volumes: [...place.volumeChecks],
    },
    startedAt: context.startedAt,
    endedAt: context.endedAt,
    complete: outcome.complete,
    ...(outcome.stoppedAfterBlock === null ? {} : { stoppedAfterBlock: outcome.stoppedAfterBlock }),
    ...(context.switches.length + outcome.switches.length === 0
      ? {}
      : { switches: [...context.switches, ...outcome.switches] }),
    ...(stoppedBy === null ? {} : { stoppedBy }),
    variants: context.variants,
    trials,
    comparisons: [],
    warnings: [
      ...(stoppedBy === null ? [] : [stoppedBy]),
      ...plan.warnings,
      ...versionWarnings(execution, context.variants),
      ...resumeWarnings(execution, context.earlier),
      ...compared.warnings,
    ],
  };
  return { ...result, comparisons: keepLedger(compared.comparisons, result) };
}

/** Locally the installed PostgreSQL stands in for the version that the experiment names. */
function versionWarnings({ experiment }: Execution, variants: readonly ResultVariant[]): string[] {
  return variants.flatMap(({ name, serverVersion }) => {
    const asked = experiment.variants[name]?.engine.version;
    if (asked === undefined || serverVersion === null || serverVersion === asked) return [];
    return [`Variant ${name} ran on PostgreSQL ${serverVersion}; the experiment names ${asked}.`];
  });
}

/** Deployed instances are still the same ones; local servers live no longer than their run. */
function resumeWarnings({ place }: Execution, earlier: readonly Trial[]): string[] {
  const finished = earlier.filter(({ state }) => state === 'finished').length;
  if (place.kind !== 'local' || finished === 0) return [];
  return [
    `The run was resumed after ${finished} trials: the servers were made anew in between, so trials before and after it speak of different clusters.`,
  ];
}
