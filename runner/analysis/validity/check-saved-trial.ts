import type { Check } from '../../contract/check.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { serverName } from '../../contract/server.ts';
import { levelOf, type Trial } from '../../contract/trial.ts';
import { placeNamed } from '../../places/registry.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Tool, WorkloadDurations } from '../../workloads/tool.ts';
import { invariants } from './invariants.ts';
import { checkTrial } from './judge-validity.ts';
import type { TrialContext } from './trial-check.ts';

/** The parts of a result that the checks of a trial need besides the trial. */
export type CheckedRun = Pick<Result, 'variants'> & {
  experiment: Pick<Result['experiment'], 'definition'>;
  place: Pick<Result['place'], 'kind'>;
};

/**
 * The validity ledger of a finished trial, from nothing but what a result keeps: the same for a trial that has just ended and
 * for one that was read from a file.
 */
export function checkSavedTrial(
  run: CheckedRun,
  trial: Trial,
  series: TrialSeries,
  tool: CheckedTool = toolOf(run.experiment.definition.workload),
): Check[] {
  return checkTrial(trial, contextOf(run, trial, series, tool));
}

/** What must hold of every trial, of a saved one: whether it still does. */
export function checkedAgain(run: CheckedRun, trial: Trial, series: TrialSeries): Check[] {
  const context = contextOf(run, trial, series, toolOf(run.experiment.definition.workload));
  return invariants.flatMap((check) => check(trial, context) ?? []);
}

type CheckedTool = Pick<Tool, 'atLevel' | 'shape' | 'durations'>;

function contextOf(
  { experiment: { definition }, place, variants }: CheckedRun,
  trial: Trial,
  series: TrialSeries,
  tool: CheckedTool,
): TrialContext {
  const server = serverName(trial.conditions);
  const of = variants.find(({ name, replica }) => serverName({ variant: name, replica }) === server);
  const workload = tool.atLevel(definition.workload, levelOf(trial.conditions));
  return {
    experiment: definition,
    place: placeNamed(place.kind),
    settings: of?.settings ?? {},
    shape: tool.shape(workload),
    loadedBytes: foretoldBytes(tool.durations(workload)),
    series,
  };
}

function foretoldBytes({ bytes, isExact = true }: WorkloadDurations): number | null {
  return isExact ? bytes : null;
}
