import { type AwsSources, tookTheLoad } from '../../aws/sources.ts';
import type { Trial } from '../../contract/trial.ts';
import { absent, askOfEach } from '../absent.ts';
import { askInTime } from '../ask-in-time.ts';
import type { Collector, Findings, LaterContext } from '../collector.ts';
import { windowOf } from '../trial-window.ts';
import { bytesPerWrite, deviceMetrics, logBytesPerWrite, processors } from './metrics.ts';

const name = 'enhanced-monitoring';

/** Processors and devices of the server's own machine, as the agent of RDS sees them. Of a cluster, the writer is asked. */
export const enhancedMonitoring: Collector = {
  name,
  optional: true,
  metrics: [processors, ...Object.values(deviceMetrics), bytesPerWrite, logBytesPerWrite],
  later(trials, context) {
    const { aws } = context;
    if (!aws) return Promise.resolve(new Map());
    return askOfEach(name, trials, (trial) => observe(trial, aws, context));
  },
};

async function observe(trial: Trial, aws: AwsSources, context: LaterContext): Promise<Findings> {
  const instance = (await aws.instancesOf(trial)).find(tookTheLoad);
  if (!instance) return absent(name, 'RDS does not know the database any more');
  const { resourceId, monitoringIntervalSeconds: interval } = instance;
  if (interval === 0) return absent(name, 'Enhanced Monitoring is switched off');
  if (resourceId === null) return absent(name, 'RDS does not name the resource of the instance');
  const { fetchSamples } = await import('./fetch-samples.ts');
  const { findingsOf } = await import('./findings.ts');
  const window = windowOf(trial);
  // A sample stands for the interval before it, and none may fall on the very end.
  const last = window.to - 2 * interval * 1000;
  const samples = await askInTime(
    () => fetchSamples(aws.logs, resourceId, window),
    (seen) => seen.some(({ at }) => at >= last),
    [trial],
    context,
  );
  if (samples.length === 0) return absent(name, 'the log group RDSOSMetrics has no samples of the trial');
  const told = instance.dedicatedLogVolume
    ? ((await context.seriesOf(trial)).get('cloudwatch.writeIOPSLogVolume') ?? [])
    : null;
  return findingsOf(samples, { startedAt: new Date(trial.startedAt), logVolumeWrites: told });
}
