import { warningsOf } from '../../contract/warnings.ts';
import path from 'node:path';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { LoadedExperiment } from '../../experiment/file/load.ts';
import { atLevelOf, planStart } from '../../experiment/plan/start.ts';
import type { Speeds } from '../../experiment/plan/durations.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { questionOf } from '../../experiment/question.ts';
import type { PlannedRun } from '../../run/run-shape.ts';
import { startsIn, type StartToKeep } from '../../run/starts.ts';
import { recordToResume } from '../../run/unfinished-run.ts';
import { ledgerFiles, readLedger } from '../../storage/ledger.ts';
import type { Io } from '../io.ts';

/** An experiment as its next start measures it, with the blocks of this start. */
export type PlannedStart = Pick<PlannedRun, 'experiment' | 'plan' | 'start'>;

/**
 * Plans a run on this machine as the next start of its question, or as the start that it resumes.
 *
 * @param results folder of all runs of the experiment
 * @param measured how fast things were in an earlier run; it changes only expected times
 */
export function planAsStart(
  { experiment, profile, warnings, path: file }: LoadedExperiment,
  { results, resume, measured }: { results: string; resume: boolean; measured?: Partial<Speeds> | undefined },
  { environment }: Pick<Io, 'environment'>,
): PlannedStart {
  const question = questionOf(experiment, path.dirname(file));
  const files = ledgerFiles(results, question, environment);
  const asked = experiment.protocol.blocks;
  const planned = (run: Experiment, start: StartToKeep['start'], notes: readonly string[]): PlannedStart => {
    const { number, level, others } = start;
    const plan = makePlan(
      atLevelOf(run, start),
      profile,
      [...warnings, ...warningsOf('earlier-starts', notes)],
      measured,
    );
    return {
      experiment: run,
      plan: { ...plan, start: { number, level, others, asked } },
      start: { question, files, start, blocks: run.protocol.blocks },
    };
  };
  const record = resume ? recordToResume(results, { experiment, profile }) : null;
  if (record?.start) {
    const { blocks } = record.experiment.definition.protocol;
    return planned({ ...experiment, protocol: { ...experiment.protocol, blocks } }, record.start, []);
  }
  const ledger = readLedger(files);
  const next = resume ? null : planStart(experiment, startsIn(ledger.entries));
  if (!next) return { experiment, plan: makePlan(experiment, profile, warnings, measured) };
  return planned(next.experiment, next.start, ledger.notes);
}

/** Folder of all runs of an experiment. */
export function resultsFolder(out: string, experiment: string, { workingFolder }: Pick<Io, 'workingFolder'>): string {
  return path.resolve(workingFolder, out, experiment);
}
