import { type CloudWatchClient, GetMetricDataCommand, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import type { Published } from './metrics.ts';
import { callAws } from '../../aws/call.ts';
import type { Window } from '../../../collect/collector.ts';

/** Values by the start of their minute (Unix time in milliseconds), by CloudWatch's name of the metric. */
export type Points = Map<string, Map<number, number>>;

const queriesPerCall = 500;
const minuteSeconds = 60;

/** A metric of an instance, or of the proxy before it, which has the same name. */
export interface Wanted {
  identifier: string;
  of: Pick<Published, 'name' | 'of' | 'statistic'>;
}

/**
 * The values per minute of metrics of AWS/RDS, by the identifier of the instance. A metric that does not exist has no points.
 *
 * @throws {AwsCallError}
 */
export async function fetchPoints(
  client: CloudWatchClient,
  asked: readonly Wanted[],
  { from, to }: Window,
): Promise<Map<string, Points>> {
  const identifiers = [...new Set(asked.map(({ identifier }) => identifier))];
  const found = new Map<string, Points>(identifiers.map((identifier) => [identifier, new Map()]));
  for (let start = 0; start < asked.length; start += queriesPerCall) {
    const part = asked.slice(start, start + queriesPerCall);
    let NextToken: string | undefined;
    do {
      const { MetricDataResults = [], ...answer } = await callAws(
        'cloudwatch:GetMetricData',
        identifiers.join(', '),
        () =>
          client.send(
            new GetMetricDataCommand({
              MetricDataQueries: part.map(queryOf),
              StartTime: new Date(from),
              EndTime: new Date(to),
              ScanBy: 'TimestampAscending',
              NextToken,
            }),
          ),
      );
      for (const { Id = '', Timestamps = [], Values = [] } of MetricDataResults) {
        const one = part[Number(Id.slice(1))];
        if (one) addPoints(found.get(one.identifier), one.of.name, Timestamps, Values);
      }
      NextToken = answer.NextToken;
    } while (NextToken !== undefined && NextToken !== '');
  }
  return found;
}

function queryOf({ identifier, of: { name, of, statistic } }: Wanted, index: number): MetricDataQuery {
  return {
    Id: `q${index}`,
    MetricStat: {
      Metric: {
        Namespace: 'AWS/RDS',
        MetricName: name,
        Dimensions: [{ Name: of === 'proxy' ? 'ProxyName' : 'DBInstanceIdentifier', Value: identifier }],
      },
      Period: minuteSeconds,
      Stat: statistic,
    },
  };
}

function addPoints(points: Points | undefined, name: string, at: readonly Date[], values: readonly number[]): void {
  const known = points?.get(name) ?? new Map<number, number>();
  for (const [index, time] of at.entries()) {
    const value = values[index];
    // RDS reports a lag of -1 if it does not know the lag.
    if (value !== undefined && value >= 0) known.set(time.getTime(), value);
  }
  if (known.size > 0) points?.set(name, known);
}
