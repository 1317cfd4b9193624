import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enhancedMonitoring } from '../../../runner/rds/collect/enhanced-monitoring/collector.ts';
import { logVolumeDevice } from '../../../runner/rds/collect/enhanced-monitoring/findings.ts';
import { parseSample } from '../../../runner/rds/collect/enhanced-monitoring/samples.ts';
import { jsonAnswer } from '../../helpers/fakes/fake-aws.ts';
import { type AskedSources, askedSources, denied, observedInstance } from '../../helpers/fakes/fake-sources.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';

const start = Date.parse('2026-11-21T11:57:00Z');
const measured = trial(
  'with-dlv',
  1,
  { 'load.seconds': 3 },
  {
    startedAt: new Date(start).toISOString(),
    endedAt: new Date(start + 9000).toISOString(),
  },
);

interface Io {
  writes: number;
  kilobytes: number;
  await?: number;
}
const device = (name: string, { writes, kilobytes, await: time = 1 }: Io) => ({
  device: name,
  tps: writes,
  writeIOsPS: writes,
  writeKbPS: kilobytes,
  writeKb: kilobytes,
  wrqmPS: 0,
  readIOsPS: 0,
  readKbPS: 0,
  readKb: 0,
  rrqmPS: 0,
  await: time,
  util: 50,
  avgQueueLen: 2,
  avgReqSz: 8,
});

/** In the documented shape, with what a recorded sample of PostgreSQL 16 has, too. */
function sample(second: number, devices: { logical?: object[]; physical?: object[] } = {}): string {
  return JSON.stringify({
    engine: 'POSTGRES',
    instanceID: 'alice-dlv-with-dlv',
    instanceResourceID: 'db-ABCDEFGHIJKL',
    version: 1,
    ...{
      timestamp: new Date(start + second * 1000).toISOString().replace('.000', ''),
      uptime: '16:04:14',
      numVCPUs: 2,
    },
    cpuUtilization: { guest: 0, irq: 0, system: 10, wait: 5, idle: 40, user: 40, total: 60, steal: 5, nice: 0 },
    loadAverageMinute: { one: 0.02, five: 0.08, fifteen: 0.06 },
    network: [{ interface: 'eth0', rx: 1138.02, tx: 10337.23 }],
    diskIO: devices.logical ?? [device('rdsdbdata', { writes: 100, kilobytes: 800 })],
    physicalDeviceIO: devices.physical ?? [device('nvme1n1', { writes: 50, kilobytes: 800 })],
    processList: [{ name: 'postgres: walwriter ', vmlimit: 'unlimited', id: 1266 }],
  });
}
const events = (...messages: string[]) =>
  messages.map((message) => ({ message, timestamp: start, ingestionTime: start }));

async function foundBy({ context }: AskedSources) {
  return (await enhancedMonitoring.collectAfterRun?.([measured], context))?.get(measured.id);
}

describe('Enhanced Monitoring', () => {
  it('tells what processors and devices did in each second, page by page', async () => {
    const pages = [
      { events: events(sample(0), 'no JSON', sample(-5)), nextForwardToken: 'f/1' },
      { events: [], nextForwardToken: 'f/2' },
      {
        events: events(
          sample(1),
          sample(2, { physical: [device('nvme1n1', { writes: 150, kilobytes: 2400, await: 3 })] }),
        ),
        nextForwardToken: 'f/3',
      },
      { events: [], nextForwardToken: 'f/3' },
    ];
    const instances = [observedInstance({ hasLogVolume: false })];
    const sources = askedSources(() => jsonAnswer(pages.shift() ?? { events: [] }), { instances });
    const found = await foundBy(sources);
    expect(found?.measures).toMatchObject({
      'os.cpu.user': expect.closeTo(0.4) as number,
      'os.cpu.steal': expect.closeTo(0.05) as number,
      'os.device.rdsdbdata.writes': 100,
      'os.device.rdsdbdata.writeBytes': 819_200,
      'os.device.rdsdbdata.bytesPerWrite': 8192,
      'os.device.rdsdbdata.busy': 0.5,
      'os.device.rdsdbdata.await': expect.closeTo(0.001) as number,
      'os.device.nvme1n1.bytesPerWrite': 16_384,
      // 250 writes, 150 of them at 3 ms.
      'os.device.nvme1n1.await': expect.closeTo(0.0022) as number,
    });
    expect(found?.series).toContainEqual({ second: 2, name: 'os.device.nvme1n1.writes', value: 150 });
    expect(found?.facts?.['enhancedMonitoring']).toEqual({ samples: 3, devices: ['rdsdbdata', 'nvme1n1'] });
    expect(sources.requests.map(({ input }) => input['nextToken'])).toEqual([undefined, 'f/1', 'f/2', 'f/3']);
    expect(sources.requests[0]?.input).toMatchObject({
      logGroupName: 'RDSOSMetrics',
      logStreamName: 'db-ABCDEFGHIJKL',
      startFromHead: true,
      startTime: start,
      endTime: start + 3000,
    });
  });

  it('finds the log volume by the writes that CloudWatch tells of it', async () => {
    const physical = [
      device('nvme1n1', { writes: 50, kilobytes: 800 }),
      device('nvme2n1', { writes: 1000, kilobytes: 64_000 }),
    ];
    const series = new Map([['cloudwatch.writeIOPSLogVolume', [{ second: 0, value: 1010 }]]]);
    const found = await foundBy(
      askedSources(() => jsonAnswer({ events: events(...[0, 1, 2].map((at) => sample(at, { physical }))) }), {
        series,
      }),
    );
    expect(found?.measures).toMatchObject({ 'os.logVolumeBytesPerWrite': 65_536 });
    expect(found?.facts?.['enhancedMonitoring']).toMatchObject({
      logVolume: {
        device: 'nvme2n1',
        how: 'by its writes, which match the log-volume writes in CloudWatch',
      },
    });
  });

  it('is asked again for samples that come late', async () => {
    const late = askedSources(() =>
      jsonAnswer({ events: events(...(late.pauses.length === 0 ? [0] : [0, 1, 2]).map((at) => sample(at))) }),
    );
    expect((await foundBy(late))?.facts?.['enhancedMonitoring']).toMatchObject({ samples: 3 });
    expect(late.pauses).toEqual([20]);
  });

  it.each([
    ['is switched off', { monitoringIntervalSeconds: 0 }, () => jsonAnswer({}), 'Enhanced Monitoring is switched off'],
    ['has nothing', {}, () => jsonAnswer({}), 'the log group RDSOSMetrics has no samples for the trial'],
    ['is refused', {}, denied, 'logs:GetLogEvents of db-ABCDEFGHIJKL was denied: User: driver is not authorized'],
  ])('leaves why it told nothing where it %s', async (_, changes, answer, why) => {
    const found = await foundBy(askedSources(answer, { instances: [observedInstance(changes)] }));
    expect(found).toMatchObject({ facts: { absent: { 'enhanced-monitoring': why } } });
  });
});

describe('the device of the log volume', () => {
  const steady = (value: number) => [10, 70, 130].map((second) => ({ second, value }));
  const reported = [0, 60].map((second) => ({ second, value: 1000 }));

  it.each([
    ['by its name', { rdsdbdata: 1000, rdslog: 5, nvme1n1: 7 }, 'rdslog', /by its name/],
    ['by its writes', { rdsdbdata: 1000, nvme1n1: 300, nvme2n1: 1020 }, 'nvme2n1', /by its writes/],
    ['not, where two have its writes', { nvme1n1: 1000, nvme2n1: 1001 }, null, /nvme1n1 and nvme2n1 both/],
    [
      'not, where none has its writes',
      { rdsdbdata: 1000, nvme1n1: 300 },
      null,
      /no device matches the log-volume writes/,
    ],
  ])('is told %s', (_, writes, expected, how) => {
    const devices = new Map(Object.entries(writes).map(([name, value]) => [name, steady(value)]));
    const { device: found, how: why } = logVolumeDevice(devices, reported);
    expect(found).toBe(expected);
    expect(why).toMatch(how);
  });

  it('is not told without anything to compare with', () => {
    expect(logVolumeDevice(new Map([['nvme1n1', steady(5)]]), [])).toMatchObject({ device: null });
  });
});

describe('a sample', () => {
  it('is null for any other text, and never an error', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => parseSample(text) === null));
    const whole = sample(0);
    fc.assert(fc.property(fc.nat(whole.length - 1), (length) => parseSample(whole.slice(0, length)) === null));
  });

  it('is without devices that lack values, such as the storage of Aurora', () => {
    const logical = [{ device: 'aurora-data', readLatency: 1 }, device('rdsdev', { writes: 1, kilobytes: 4 })];
    expect([...(parseSample(sample(0, { logical, physical: [] }))?.devices.keys() ?? [])]).toEqual(['rdsdev']);
  });
});
