import type { Check } from '../../contract/check.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { serverName } from '../../contract/server.ts';
import { levelOf, type Trial } from '../../contract/trial.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Tool, WorkloadDurations } from '../../workloads/tool.ts';
import { checkTrial } from './judge-validity.ts';

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
  { experiment: { definition }, place, variants }: CheckedRun,
  trial: Trial,
  series: TrialSeries,
  tool: Pick<Tool, 'atLevel' | 'shape' | 'durations'> = toolOf(definition.workload),
): Check[] {
  const server = serverName(trial.conditions);
  const of = variants.find(({ name, replica }) => serverName({ variant: name, replica }) === server);
  const workload = tool.atLevel(definition.workload, levelOf(trial.conditions));
  return checkTrial(trial, {
    experiment: definition,
    place: place.kind,
    settings: of?.settings ?? {},
    shape: tool.shape(workload),
    loadedBytes: foretoldBytes(tool.durations(workload)),
    series,
  });
}

function foretoldBytes({ bytes, isExact = true }: WorkloadDurations): number | null {
  return isExact ? bytes : null;
}
