import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { changedSample } from './changed-sample.ts';
import { crossOver } from './deployed-sample.ts';
import type { SampleOptions } from './sample-result.ts';

/** A sample run whose log volumes were exchanged after half of its blocks. */
export function crossedSample(options: SampleOptions & { blocks: number }): Promise<OpenedResult> {
  return changedSample(options, crossOver);
}
