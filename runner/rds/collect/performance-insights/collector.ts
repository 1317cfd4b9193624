import { AwsCallError } from '../../aws/call.ts';
import type { AwsSources } from '../sources.ts';
import { absent } from '../../../collect/absent.ts';
import { askInTime, askOfEach, type LoadedInstance } from '../ask-of-each.ts';
import {
  type Collector,
  type Findings,
  type LaterContext,
  wholePeriods,
  windowOf,
} from '../../../collect/collector.ts';
import type { DatabaseLoad } from './findings.ts';
import { difference, load, sessions, share } from './metrics.ts';

const name = 'performance-insights';

/** In seconds, the finest first. The service keeps values per second for less time than values per minute. */
const periods = [1, 60] as const;

/**
 * What the sessions waited for, as sampled by AWS itself, and how far that is from our own samples. In a cluster,
 * pgduet asks about the writer.
 */
export const performanceInsights: Collector = {
  name,
  optional: true,
  metrics: [load, share, sessions, difference],
  collectAfterRun: (trials, context) => askOfEach(name, trials, context, (about, aws) => observe(about, aws, context)),
};

async function observe(
  { trial, instance, resourceId }: LoadedInstance,
  aws: AwsSources,
  context: LaterContext,
): Promise<Findings> {
  if (!instance.insights) return absent(name, 'Database Insights is off');
  const { fetchLoad, findingsOf } = await import('./findings.ts');
  for (const periodSeconds of periods) {
    const length = periodSeconds * 1000;
    const starts = wholePeriods(windowOf(trial), length);
    const [from] = starts;
    const last = starts.at(-1);
    if (from === undefined || last === undefined) continue;
    let reported: DatabaseLoad | null = null;
    try {
      reported = await askInTime(
        () => fetchLoad(aws.insights, resourceId, { from, to: last + length }, periodSeconds),
        ({ total }) => total.has(last),
        [trial],
        context,
      );
    } catch (error) {
      // The service refuses a window or a period for which it keeps nothing in this way.
      if (!(error instanceof AwsCallError) || !/^InvalidArgument/.test(error.code)) throw error;
      if (periodSeconds === periods.at(-1)) throw error;
    }
    if (reported === null || reported.total.size === 0) continue;
    const { total } = reported;
    return findingsOf(reported, {
      startedAt: new Date(trial.startedAt),
      measures: trial.measures,
      periodSeconds,
      missing: starts.filter((at) => !total.has(at)).length,
    });
  }
  return absent(name, 'Database Insights has no data for the trial, or has already deleted it');
}
