import type { MembersTable, Metric } from '../../../contract/metric.ts';
import type { DeviceSample } from './samples.ts';

const source = 'Enhanced Monitoring (log group RDSOSMetrics)';
const shown = { better: 'lower', compared: null, source } as const;

export const processors: Metric = {
  ...shown,
  name: 'os.cpu.<part>',
  label: 'server’s processors: <part>',
  unit: '1',
  kind: 'share',
};

function deviceMetric(name: string, column: string, rest: Pick<Metric, 'unit' | 'kind'>): Metric {
  return { ...shown, ...rest, name: `os.device.<device>.${name}`, label: `server’s <device>: ${column}`, column };
}

/** What is measured of each device, by the field of a sample. */
export const deviceMetrics: Readonly<Record<keyof DeviceSample, Metric>> = {
  reads: deviceMetric('reads', 'reads per second', { unit: '1/s', kind: 'rate' }),
  writes: deviceMetric('writes', 'writes per second', { unit: '1/s', kind: 'rate' }),
  readBytes: deviceMetric('readBytes', 'read per second', { unit: 'B/s', kind: 'bytes' }),
  writeBytes: deviceMetric('writeBytes', 'written per second', { unit: 'B/s', kind: 'bytes' }),
  queue: deviceMetric('queue', 'waiting operations', { unit: '1', kind: 'rate' }),
  await: deviceMetric('await', 'time of an operation', { unit: 's', kind: 'latency' }),
  busy: deviceMetric('busy', 'busy time', { unit: '1', kind: 'share' }),
};

export const bytesPerWrite: Metric = {
  ...deviceMetric('bytesPerWrite', 'bytes per write', { unit: 'B', kind: 'bytes' }),
  better: 'higher',
};
export const logBytesPerWrite: Metric = {
  ...shown,
  name: 'os.logVolumeBytesPerWrite',
  label: 'server’s log volume: bytes per write',
  unit: 'B',
  kind: 'bytes',
  better: 'higher',
  source: `${source}, for the device of the log volume, if it can be identified`,
};

export const devicesTable: MembersTable = {
  id: 'devices',
  title: 'Devices (Enhanced Monitoring)',
  what: 'device',
  placeholder: '<device>',
  notes: [],
};
