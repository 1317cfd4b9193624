import { describe, expect, it } from 'vitest';
import { cloudWatch } from '../../../runner/rds/collect/cloudwatch/collector.ts';
import { type FakeAnswer, type FakeRequest, jsonAnswer, jsonError } from '../../helpers/fakes/fake-aws.ts';
import { type AskedSources, askedSources, denied, observedInstance } from '../../helpers/fakes/fake-sources.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';

/** From 11:55:30 to 11:58:30: the minutes 11:56 and 11:57 lie wholly in it. */
const measured = trial(
  'with-dlv',
  1,
  { 'load.seconds': 180 },
  {
    startedAt: '2026-11-21T11:55:30.000Z',
    endedAt: '2026-11-21T11:59:10.000Z',
  },
);
const [first, second] = [Date.parse('2026-11-21T11:56:00Z') / 1000, Date.parse('2026-11-21T11:57:00Z') / 1000];

interface Query {
  Id: string;
  MetricStat: {
    Metric: { MetricName: string; Dimensions: { Name: string; Value: string }[] };
    Period: number;
    Stat: string;
  };
}

/** Answers in the documented shape; `points` gives values by time in seconds, and a metric without any has none. */
function answering(
  points: (name: string, instance: string, request: FakeRequest) => Record<number, number>,
  more: (request: FakeRequest) => object = () => ({}),
): (request: FakeRequest) => FakeAnswer {
  return (request) => {
    const queries = request.input['MetricDataQueries'] as Query[];
    const results = queries.map(({ Id, MetricStat: { Metric } }) => {
      const found = Object.entries(points(Metric.MetricName, Metric.Dimensions[0]?.Value ?? '', request));
      return {
        Id,
        Label: Metric.MetricName,
        StatusCode: 'Complete',
        Timestamps: found.map(([at]) => Number(at)),
        Values: found.map(([, value]) => value),
      };
    });
    return jsonAnswer({ MetricDataResults: results, Messages: [], ...more(request) });
  };
}

const both = (one: number, other = one): Record<number, number> => ({ [first]: one, [second]: other });
const values: Record<string, Record<number, number>> = {
  ReadIOPS: both(0),
  WriteIOPS: both(100, 300),
  WriteLatency: both(0.004, 0.002),
  WriteThroughput: both(819_200, 3_276_800),
  WriteIOPSLogVolume: both(1000),
  WriteThroughputLogVolume: both(16_384_000),
  CPUUtilization: both(40, 60),
  FreeableMemory: both(5e9, 4e9),
  ReplicaLag: both(-1),
};
const always = (name: string): Record<number, number> =>
  values[name] ?? (/Balance|^Oldest|^TransactionLogs/.test(name) ? {} : both(1));

async function foundBy({ context }: AskedSources, asked = measured) {
  return (await cloudWatch.collectAfterRun?.([asked], context))?.get(asked.id);
}

describe('CloudWatch', () => {
  it('asks a proxy of the instance for its own numbers, summed over its hosts, and other instances for none', async () => {
    const proxied = askedSources(answering(always), { instances: [observedInstance({ hasProxy: true })] });
    const found = await foundBy(proxied);
    const queries = proxied.requests.flatMap(({ input }) => input['MetricDataQueries'] as Query[]);
    const asked = queries
      .filter(({ MetricStat: { Metric } }) => Metric.Dimensions[0]?.Name === 'ProxyName')
      .map(({ MetricStat: { Metric, Stat } }) => [Metric.MetricName, Metric.Dimensions[0]?.Value, Stat]);
    const name = 'alice-dlv-with-dlv';
    expect(asked).toEqual([
      ['ClientConnections', name, 'Sum'],
      ['DatabaseConnections', name, 'Sum'],
      ['DatabaseConnectionsCurrentlySessionPinned', name, 'Sum'],
      ['DatabaseConnectionsBorrowLatency', name, 'Average'],
    ]);
    expect(found?.measures).toMatchObject({
      'cloudwatch.proxy.clientConnections': 1,
      'cloudwatch.proxy.pinnedSessions': 1,
      'cloudwatch.proxy.borrowLatency': 1e-6,
    });
    const direct = askedSources(answering(always));
    expect((await foundBy(direct))?.measures).not.toHaveProperty(['cloudwatch.proxy.clientConnections']);
  });

  it('tells of the minutes that lie wholly in the trial, in base units', async () => {
    const outside = { [first - 60]: 999, [second + 60]: 999 };
    const found = await foundBy(askedSources(answering((name) => ({ ...outside, ...always(name) }))));
    expect(found?.measures).toMatchObject({
      'cloudwatch.writeIOPS': 200,
      'cloudwatch.cpuUtilization': 0.5,
      'cloudwatch.freeableMemory': 4e9,
      // By how many writes each minute had.
      'cloudwatch.writeLatency': 0.0025,
      'cloudwatch.bytesPerWrite': 10_240,
      'cloudwatch.logVolumeBytesPerWrite': 16_384,
    });
    expect(found?.measures).not.toHaveProperty('cloudwatch.readLatency');
    expect(found?.measures).not.toHaveProperty('cloudwatch.replicaLag');
    expect(found?.series?.filter(({ name }) => name === 'cloudwatch.cpuUtilization')).toEqual([
      { second: 30, name: 'cloudwatch.cpuUtilization', value: 0.4 },
      { second: 90, name: 'cloudwatch.cpuUtilization', value: 0.6 },
    ]);
    expect(found?.facts?.['cloudwatch']).toEqual({
      instances: { only: 'alice-dlv-with-dlv' },
      minutes: 2,
      missing: {},
    });
  });

  it('has no values of a log volume that is not there, and does not wait for them', async () => {
    const instances = [observedInstance({ hasLogVolume: false })];
    const sources = askedSources(
      answering((name) => (name.endsWith('LogVolume') ? {} : always(name))),
      { instances },
    );
    const found = await foundBy(sources);
    expect(Object.keys(found?.measures ?? {}).filter((name) => /log/i.test(name))).toEqual([]);
    expect(sources.pauses).toEqual([]);
  });

  it('is asked again for points that come late', async () => {
    const sources = askedSources(answering((name) => (sources.pauses.length < 2 ? { [first]: 1 } : always(name))));
    expect((await foundBy(sources))?.facts?.['cloudwatch']).toMatchObject({ missing: {} });
    expect(sources.pauses).toEqual([20, 20]);
  });

  it('is asked for three minutes after the trial at the most; what is missing is said', async () => {
    const sources = askedSources(answering((name) => (name === 'WriteIOPS' ? { [first]: 100 } : always(name))));
    const found = await foundBy(sources);
    expect(sources.pauses.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(140);
    expect(found?.measures).toMatchObject({ 'cloudwatch.writeIOPS': 100, 'cloudwatch.bytesPerWrite': 8192 });
    expect(found?.facts?.['cloudwatch']).toMatchObject({
      missing: { 'cloudwatch.writeIOPS': ['2026-11-21T11:57:00.000Z'] },
    });
  });

  it('gives its points in several pages, and takes 500 queries at once', async () => {
    const instances = Array.from({ length: 20 }, (_, index) =>
      observedInstance({ role: index === 0 ? 'writer' : `reader${index}`, identifier: `member-${index}` }),
    );
    const isFirstPage = ({ input }: FakeRequest): boolean => input['NextToken'] === undefined;
    const sources = askedSources(
      answering(
        (name, _, request) => {
          const { [first]: one, [second]: other } = always(name);
          return isFirstPage(request)
            ? { ...(one === undefined ? {} : { [first]: one }) }
            : { ...(other === undefined ? {} : { [second]: other }) };
        },
        (request) => (isFirstPage(request) ? { NextToken: 'more' } : {}),
      ),
      { instances },
    );
    expect((await foundBy(sources))?.measures).toMatchObject({ 'cloudwatch.writeIOPS': 200 });
    const sizes = sources.requests.map(({ input }) => (input['MetricDataQueries'] as Query[]).length);
    expect(Math.max(...sizes)).toBe(500);
    expect(sizes).toHaveLength(4);
  });

  it('tells of the readers of a cluster under their names', async () => {
    const instances = ['writer', 'reader1', 'reader2'].map((role) =>
      observedInstance({ role, identifier: `c-${role}`, hasLogVolume: false }),
    );
    const lags: Record<string, number> = { 'c-reader1': 0.5, 'c-reader2': 2 };
    const found = await foundBy(
      askedSources(
        answering((name, instance) => {
          if (name !== 'ReplicaLag') return always(name);
          const lag = lags[instance];
          return lag === undefined ? {} : both(lag, lag / 2);
        }),
        { instances },
      ),
    );
    expect(found?.measures).toMatchObject({
      'cloudwatch.reader1.replicaLag': 0.5,
      'cloudwatch.reader2.replicaLag': 2,
      'cloudwatch.reader1.writeIOPS': 200,
      'cloudwatch.writeIOPS': 200,
    });
    expect(found?.facts?.['cloudwatch']).toMatchObject({
      instances: { writer: 'c-writer', reader1: 'c-reader1', reader2: 'c-reader2' },
    });
  });

  it.each([
    ['refused', denied, 'cloudwatch:GetMetricData of alice-dlv-with-dlv was denied: User: driver is not authorized'],
    ['throttled', () => jsonError('Throttling', 'Rate exceeded'), /was throttled 10 times in a row \(Throttling\)/],
  ])('leaves why it told nothing where it was %s', async (_, answer, why) => {
    const found = await foundBy(askedSources(answer));
    expect(found?.measures).toBeUndefined();
    expect(found?.facts?.absent).toEqual({
      cloudwatch: typeof why === 'string' ? why : (expect.stringMatching(why) as string),
    });
  });

  it('tells nothing of a trial in which no minute lies wholly, and is not asked of it', async () => {
    const sources = askedSources(answering(always));
    const short = { ...measured, measures: { 'load.seconds': 60 } };
    expect((await foundBy(sources, short))?.facts?.absent).toEqual({
      cloudwatch: 'the trial contains no whole minute of the clock',
    });
    expect(sources.requests).toEqual([]);
  });

  it('is not asked again of what it has told, nor on this machine', async () => {
    const { context, requests } = askedSources(answering(always));
    const reported = { ...measured, series: [{ file: 'later/cloudwatch.parquet', names: [] }] };
    expect(await cloudWatch.collectAfterRun?.([reported], context)).toEqual(new Map());
    const { sources: _, ...here } = context;
    expect(await cloudWatch.collectAfterRun?.([measured], here)).toEqual(new Map());
    expect(requests).toEqual([]);
  });
});
