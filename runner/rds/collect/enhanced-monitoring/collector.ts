import type { AwsSources } from '../sources.ts';
import { absent } from '../../../collect/absent.ts';
import { askInTime, askOfEach, type LoadedInstance } from '../ask-of-each.ts';
import { type Collector, type Findings, type LaterContext, windowOf } from '../../../collect/collector.ts';
import { bytesPerWrite, deviceMetrics, devicesTable, logBytesPerWrite, processors } from './metrics.ts';

const name = 'enhanced-monitoring';

/**
 * Processors and devices of the server's machine, as the agent of RDS sees them. In a cluster, pgduet asks about the
 * writer.
 */
export const enhancedMonitoring: Collector = {
  name,
  optional: true,
  metrics: [processors, ...Object.values(deviceMetrics), bytesPerWrite, logBytesPerWrite],
  tables: [devicesTable],
  collectAfterRun: (trials, context) => askOfEach(name, trials, context, (about, aws) => observe(about, aws, context)),
};

async function observe(
  { trial, instance, resourceId }: LoadedInstance,
  aws: AwsSources,
  context: LaterContext,
): Promise<Findings> {
  const interval = instance.monitoringIntervalSeconds;
  if (interval === 0) return absent(name, 'Enhanced Monitoring is switched off');
  const { fetchSamples } = await import('./samples.ts');
  const { findingsOf } = await import('./findings.ts');
  const window = windowOf(trial);
  // A sample describes the interval before it, and there may be none at the very end.
  const last = window.to - 2 * interval * 1000;
  const samples = await askInTime(
    () => fetchSamples(aws.logs, resourceId, window),
    (found) => found.some(({ at }) => at >= last),
    [trial],
    context,
  );
  if (samples.length === 0) return absent(name, 'the log group RDSOSMetrics has no samples for the trial');
  const reported = instance.hasLogVolume
    ? ((await context.seriesOf(trial)).get('cloudwatch.writeIOPSLogVolume') ?? [])
    : null;
  return findingsOf(samples, { startedAt: new Date(trial.startedAt), logVolumeWrites: reported });
}
