import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { fullRun } from '../helpers/samples/full-sample.ts';
import { replicatedRun } from '../helpers/samples/replicated-sample.ts';
import { reportedResults } from '../helpers/samples/reported-results.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';

const { worse, withheld, descriptive, inconclusive, ladder, ...others } = reportedResults;

/** The results whose screens and reports are kept: one for each thing that a reader may be told. */
export const goldenResults: Record<string, (() => Promise<OpenedResult>) | undefined> = {
  verdict: others['quick'],
  worse,
  equivalent: others['equivalent'],
  inconclusive,
  withheld,
  descriptive,
  ladder,
  variants: others['six variants'],
  'control-fails': others['six variants with a failed control'],
  price: others['deployed with prices'],
  'read-only': others['only reads'],
  'beside-others': others['beside other programs'],
  crossover: () => crossedSample({ blocks: 24 }),
  replicas: () => replicatedRun([1, 1.02, 0.97]),
  'cut-off': () => sampleRun({ blocks: 8, failedTrial: { block: 2, variant: 'with-log-volume' } }),
  remeasured: () => sampleRun({ blocks: 8, repeatedBlock: { block: 4, factor: 1.5 } }),
  'nothing-measured': () => sampleRun({ silent: true }),
  everything: () => fullRun(),
};
