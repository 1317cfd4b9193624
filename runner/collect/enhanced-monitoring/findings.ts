import type { SeriesPoint, SeriesRow } from '../../contract/metric.ts';
import { memberName } from '../../contract/metric-family.ts';
import { secondOf } from '../second-of.ts';
import type { Findings } from '../collector.ts';
import { logVolumeDevice } from './log-volume-device.ts';
import { bytesPerWrite, deviceMetrics, logBytesPerWrite, processors } from './metrics.ts';
import type { DeviceSample, OsSample } from './parse-sample.ts';

const fields = Object.keys(deviceMetrics) as (keyof DeviceSample)[];

/**
 * Measures (means over all samples), and series by the second.
 *
 * @param options.logVolumeWrites CloudWatch's writes of the log volume by the minute; null if there is no log volume
 */
export function findingsOf(
  samples: readonly OsSample[],
  { startedAt, logVolumeWrites }: { startedAt: Date; logVolumeWrites: readonly SeriesPoint[] | null },
): Findings {
  const series = samples.flatMap((sample): SeriesRow[] => {
    const second = secondOf(sample.at, startedAt);
    return [
      ...Object.entries(sample.cpu).map(([part, value]) => ({ second, name: memberName(processors, part), value })),
      ...[...sample.devices].flatMap(([device, of]) =>
        fields.map((field) => ({ second, name: memberName(deviceMetrics[field], device), value: of[field] })),
      ),
    ];
  });
  const measures = meansOf(series);
  const devices = [...new Set(samples.flatMap((sample) => [...sample.devices.keys()]))];
  for (const device of devices) {
    Object.assign(measures, ofOperations(device, samples));
  }
  const facts = { samples: samples.length, devices };
  if (logVolumeWrites === null) return { measures, series, facts: { enhancedMonitoring: facts } };
  const writes = new Map(
    devices.map((device) => [device, series.filter(({ name }) => name === memberName(deviceMetrics.writes, device))]),
  );
  const logVolume = logVolumeDevice(writes, logVolumeWrites);
  const perWrite = logVolume.device === null ? undefined : measures[memberName(bytesPerWrite, logVolume.device)];
  return {
    measures: { ...measures, ...(perWrite === undefined ? {} : { [logBytesPerWrite.name]: perWrite }) },
    series,
    facts: { enhancedMonitoring: { ...facts, logVolume } },
  };
}

function meansOf(series: readonly SeriesRow[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { name, value } of series) {
    const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 };
    sums.set(name, { sum: sum + value, count: count + 1 });
  }
  return Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
}

/** What is told of operations is the mean of all of them, not of the samples: most of them fall into few samples. */
function ofOperations(device: string, samples: readonly OsSample[]): Record<string, number> {
  const all = samples.flatMap((sample) => sample.devices.get(device) ?? []);
  const sum = (of: (sample: DeviceSample) => number): number => all.reduce((total, one) => total + of(one), 0);
  const [writes, operations] = [sum((one) => one.writes), sum((one) => one.reads + one.writes)];
  return {
    ...(writes > 0 ? { [memberName(bytesPerWrite, device)]: sum((one) => one.writeBytes) / writes } : {}),
    ...(operations > 0
      ? {
          [memberName(deviceMetrics.await, device)]: sum((one) => one.await * (one.reads + one.writes)) / operations,
        }
      : {}),
  };
}
