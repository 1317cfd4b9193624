import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { performanceInsights } from '../../../runner/rds/collect/performance-insights/collector.ts';
import { eventName, largestDifference } from '../../../runner/rds/collect/performance-insights/findings.ts';
import { type FakeAnswer, type FakeRequest, jsonAnswer, jsonError } from '../../helpers/fakes/fake-aws.ts';
import { type AskedSources, askedSources, denied, observedInstance } from '../../helpers/fakes/fake-sources.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';

const start = Date.parse('2026-11-21T11:57:00.400Z');
const ours = { 'waits.active': 8, 'waits.LWLock:WALWrite': 0.5, 'waits.IO:WalSync': 0.25, 'waits.CPU': 0.25 };
const others = { 'waits.sessions.CPU': 2, 'waits.idle': 3, 'waits.cost': 0.9, 'waits.samples': 4 };
/** From 11:57:00.4 to 11:57:04.4: three whole seconds. */
const measured = trial(
  'with-dlv',
  1,
  { 'load.seconds': 4, ...ours, ...others },
  {
    startedAt: new Date(start).toISOString(),
    endedAt: new Date(start + 9000).toISOString(),
  },
);

type Values = (number | null)[];
/** The documented shape: one list for the total, and one for each event. A period without value has none. */
function answer(
  total: Values,
  events: Record<string, Values>,
  more: object = {},
  from = start + 600,
  step = 1,
): FakeAnswer {
  const points = (values: Values) =>
    values.map((Value, index) => ({
      Timestamp: Math.floor(from / 1000) + index * step,
      ...(Value === null ? {} : { Value }),
    }));
  return jsonAnswer({
    AlignedStartTime: from / 1000,
    AlignedEndTime: from / 1000,
    Identifier: 'db-ABCDEFGHIJKL',
    MetricList: [
      { Key: { Metric: 'db.load.avg' }, DataPoints: points(total) },
      ...Object.entries(events).map(([name, values]) => ({
        Key: {
          Metric: 'db.load.avg',
          Dimensions: { 'db.wait_event.name': name, 'db.wait_event.type': name.split(':')[0] ?? '' },
        },
        DataPoints: points(values),
      })),
    ],
    ...more,
  });
}
const whole = answer([8, 8, 4], { 'LWLock:WALWrite': [6, 4, 2], 'IO:WalSync': [2, 2, 0], CPU: [0, 2, 2] });

async function foundBy({ context }: AskedSources, asked = measured) {
  return (await performanceInsights.collectAfterRun?.([asked], context))?.get(asked.id);
}

describe('Database Insights', () => {
  it('tells the shares of the wait events, and how far our own samples are from them', async () => {
    const { requests, ...sources } = askedSources(() => whole);
    const found = await foundBy({ requests, ...sources });
    expect(found?.measures).toEqual({
      'insights.load': 20 / 3,
      'insights.LWLock:WALWrite': 0.6,
      'insights.IO:WalSync': 0.2,
      'insights.CPU': 0.2,
      'insights.sessions.LWLock:WALWrite': 4,
      'insights.sessions.IO:WalSync': 4 / 3,
      'insights.sessions.CPU': 4 / 3,
      'insights.difference': expect.closeTo(0.1) as number,
    });
    expect(found?.series).toContainEqual({ second: 0, name: 'insights.sessions.LWLock:WALWrite', value: 6 });
    expect(found?.facts?.['insights']).toEqual({ periodSeconds: 1, periods: 3, missing: 0 });
    expect(requests[0]?.input).toMatchObject({
      ServiceType: 'RDS',
      Identifier: 'db-ABCDEFGHIJKL',
      PeriodInSeconds: 1,
      PeriodAlignment: 'START_TIME',
      StartTime: (start + 600) / 1000,
      EndTime: (start + 3600) / 1000,
      MetricQueries: [
        { Metric: 'db.load.avg' },
        { Metric: 'db.load.avg', GroupBy: { Group: 'db.wait_event', Limit: 25 } },
      ],
    });
  });

  it('gives its points in several pages', async () => {
    const found = await foundBy(
      askedSources(({ input }: FakeRequest) =>
        input['NextToken'] === undefined
          ? answer([8, 8], { CPU: [8, 8] }, { NextToken: 'more' })
          : answer([4], { 'IO:WalSync': [4] }, {}, start + 2600),
      ),
    );
    expect(found?.measures).toMatchObject({ 'insights.load': 20 / 3, 'insights.CPU': 0.8, 'insights.IO:WalSync': 0.2 });
  });

  it('is asked again for seconds that come late, and says which are missing', async () => {
    const late = askedSources(() => (late.pauses.length === 0 ? answer([8, null, null], {}) : whole));
    expect((await foundBy(late))?.facts?.['insights']).toMatchObject({ missing: 0 });
    expect(late.pauses).toEqual([20]);
    const gap = await foundBy(askedSources(() => answer([8, null, 4], { CPU: [8, null, 4] })));
    expect(gap?.facts?.['insights']).toEqual({ periodSeconds: 1, periods: 2, missing: 1 });
    expect(gap?.measures).toMatchObject({ 'insights.load': 6 });
  });

  it('is asked by the minute where it keeps no seconds', async () => {
    const long = { ...measured, measures: { 'load.seconds': 130 }, endedAt: new Date(start + 130_000).toISOString() };
    const minute = Date.parse('2026-11-21T11:58:00Z');
    const byMinute = (refusal: FakeAnswer) =>
      foundBy(
        askedSources(({ input }) =>
          input['PeriodInSeconds'] === 1 ? refusal : answer([5], { CPU: [5] }, {}, minute, 60),
        ),
        long,
      );
    const expected = { 'insights.load': 5, 'insights.CPU': 1, 'insights.sessions.CPU': 5, 'insights.difference': null };
    const refused = await byMinute(jsonError('InvalidArgumentException', 'not retained'));
    expect(refused?.measures).toEqual(expected);
    expect((await byMinute(answer([], {})))?.facts?.['insights']).toMatchObject({ periodSeconds: 60, periods: 1 });
  });

  it.each([
    [
      'is switched off',
      { instances: [observedInstance({ insights: false })] },
      () => whole,
      'Database Insights is off',
    ],
    ['has nothing', {}, () => answer([], {}), 'Database Insights has no data for the trial, or has already deleted it'],
    ['is refused', {}, denied, 'pi:GetResourceMetrics of db-ABCDEFGHIJKL was denied: User: driver is not authorized'],
    [
      'is refused in its own words',
      {},
      () => jsonError('NotAuthorizedException', 'The user is not authorized'),
      'pi:GetResourceMetrics of db-ABCDEFGHIJKL was denied: The user is not authorized',
    ],
    ['knows no such database', { instances: [] }, () => whole, 'RDS no longer has the instance'],
  ])('leaves why it told nothing where it %s', async (_, options, reply: typeof denied, why) => {
    expect(await foundBy(askedSources(reply, options))).toMatchObject({
      facts: { absent: { 'performance-insights': why } },
    });
  });

  it('is not asked about the other trials where it refuses one, and says so', async () => {
    const { context, requests } = askedSources(denied);
    const found = await performanceInsights.collectAfterRun?.([measured, { ...measured, id: 'another' }], context);
    expect([...(found?.values() ?? [])].map(({ facts, warnings }) => [facts?.absent, warnings])).toEqual(
      Array.from({ length: 2 }, () => [
        { 'performance-insights': expect.stringContaining('was denied') as string },
        [
          expect.stringMatching(
            /^performance-insights returned no data: pi:GetResourceMetrics of .* is not authorized\.$/,
          ),
        ],
      ]),
    );
    expect(requests).toHaveLength(1);
  });

  it('asks the writer of a cluster', async () => {
    const instances = ['writer', 'reader1'].map((role) => observedInstance({ role, resourceId: `db-${role}` }));
    const sources = askedSources(() => whole, { instances });
    await foundBy(sources);
    expect(sources.requests.map(({ input }) => input['Identifier'])).toEqual(['db-writer']);
  });
});

describe('the name of a wait event', () => {
  it('has its type once, wherever the service says it', () => {
    const named = (name: string, type: string) => eventName({ 'db.wait_event.name': name, 'db.wait_event.type': type });
    expect(named('LWLock:WALWrite', 'LWLock')).toBe('LWLock:WALWrite');
    expect(named('WALWrite', 'LWLock')).toBe('LWLock:WALWrite');
    expect(named('CPU', 'CPU')).toBe('CPU');
    fc.assert(
      fc.property(fc.stringMatching(/^\w+$/), fc.stringMatching(/^\w+$/), (name, type) => {
        expect(named(named(name, type), type)).toBe(named(name, type));
      }),
    );
  });
});

describe('the largest difference', () => {
  it('does not count events that the service leaves out because there are too many', () => {
    const theirs = new Map(Array.from({ length: 25 }, (_, index) => [`IO:${index}`, 0.04]));
    expect(
      largestDifference(
        new Map([
          ['CPU', 0.9],
          ['IO:1', 0.1],
        ]),
        theirs,
      ),
    ).toBeCloseTo(0.06);
    expect(largestDifference(new Map([['CPU', 1]]), new Map([['IO:1', 1]]))).toBe(1);
  });
});
