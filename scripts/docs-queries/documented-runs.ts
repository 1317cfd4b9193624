import path from 'node:path';
import { crossOver } from '../../test/helpers/samples/deployed-sample.ts';
import type { RecordedSample } from '../../test/helpers/samples/changed-sample.ts';
import { saveSample } from '../../test/helpers/samples/saved-sample.ts';

interface DocumentedRun {
  name: string;
  /** Where the queries are run. */
  workingFolder: string;
  /** Where they look for the run. */
  results: string;
}

/**
 * Runs of the kinds that the queries of the documentation must handle: with the experiment's own variants and trials,
 * with a block that was measured again, and with the pairs of a crossover, which consist of several trials.
 */
export async function saveDocumentedRuns(folder: string): Promise<DocumentedRun[]> {
  const designs: Record<string, (sample: RecordedSample) => void> = {
    'a run with a repeated block': () => {},
    'a crossover with a repeated block': crossOver,
  };
  const runs = Object.entries(designs).map(async ([name, design], index): Promise<DocumentedRun> => {
    const workingFolder = path.join(folder, String(index));
    const results = path.join(workingFolder, 'results/quick/latest');
    // docs/results.md shows the files of a run whose first trial is of the variant with a log volume.
    const variants = { 'with-log-volume': 1.31, 'without-log-volume': 1 };
    await saveSample(results, { variants, blocks: 12, repeatedBlock: { block: 3, factor: 0.5 } }, (sample) => {
      design(sample);
      addRareEvents(sample);
    });
    return { name, workingFolder, results };
  });
  return Promise.all(runs);
}

/** An event that only one trial has, and a sample before the measured part. */
function addRareEvents({ rows }: RecordedSample): void {
  const [first] = rows.values();
  first?.push(...[3, 4].map((second) => ({ second, name: 'waits.sessions.IO:DataFileExtend', value: 2 })), {
    second: -1,
    name: 'waits.sessions.CPU',
    value: 50,
  });
}
