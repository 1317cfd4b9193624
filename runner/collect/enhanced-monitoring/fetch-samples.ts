import {
  type CloudWatchLogsClient,
  GetLogEventsCommand,
  type GetLogEventsResponse,
} from '@aws-sdk/client-cloudwatch-logs';
import { callAws } from '../../aws/call.ts';
import type { Window } from '../trial-window.ts';
import { type OsSample, parseSample } from './parse-sample.ts';

const logGroupName = 'RDSOSMetrics';

/**
 * What Enhanced Monitoring has seen of an instance in a window, in order of time. Each sample is parsed when it comes: with
 * its list of processes, it is as large as a page.
 *
 * @param resourceId DbiResourceId, the name of the log stream
 * @throws {AwsCallError}
 */
export async function fetchSamples(
  client: CloudWatchLogsClient,
  resourceId: string,
  { from, to }: Window,
): Promise<OsSample[]> {
  const samples = new Map<number, OsSample>();
  let nextToken: string | undefined;
  for (;;) {
    const { events = [], nextForwardToken }: GetLogEventsResponse = await callAws('logs:GetLogEvents', resourceId, () =>
      client.send(
        new GetLogEventsCommand({
          logGroupName,
          logStreamName: resourceId,
          startFromHead: true,
          nextToken,
          startTime: from,
          endTime: to,
        }),
      ),
    );
    for (const { message = '' } of events) {
      const sample = parseSample(message);
      if (sample && sample.at >= from && sample.at < to) samples.set(sample.at, sample);
    }
    // A page may be empty before the last one. The last one has the token that it was asked with.
    if (nextForwardToken === undefined || nextForwardToken === nextToken) break;
    nextToken = nextForwardToken;
  }
  return [...samples.values()].sort((a, b) => a.at - b.at);
}
