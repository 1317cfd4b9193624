import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { changedSample, type RecordedSample } from './changed-sample.ts';
import { crossOver } from './deployed-sample.ts';
import type { SampleOptions } from './sample-result.ts';

/** A sample run whose log volumes were exchanged between its blocks. */
export function crossedSample(
  options: SampleOptions & { blocks: number; exchanges?: number },
  change: (recorded: RecordedSample) => void = () => undefined,
): Promise<OpenedResult> {
  return changedSample(options, (recorded) => {
    crossOver(recorded, options.exchanges);
    change(recorded);
  });
}
