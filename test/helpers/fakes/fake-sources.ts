import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { PIClient } from '@aws-sdk/client-pi';
import { RDSClient } from '@aws-sdk/client-rds';
import { withLogs } from '../../../runner/rds/collect/server-log.ts';
import type { ObservedInstance, SourceClients } from '../../../runner/rds/collect/sources.ts';
import type { LaterContext } from '../../../runner/collect/collector.ts';
import type { TrialSeries } from '../../../runner/contract/metric.ts';
import { type FakeAnswer, fakeAws, type FakeRequest, jsonError } from './fake-aws.ts';
import { fakeClock } from './fake-rds.ts';

type Answer = (request: FakeRequest) => FakeAnswer;

export const denied: Answer = () => jsonError('AccessDeniedException', 'User: driver is not authorized');

/** Clients of the sources that are asked after a run, which allow nothing. */
export function deniedSources(): SourceClients {
  return sourcesWith(denied).clients;
}

export interface AskedSources {
  context: LaterContext;
  requests: FakeRequest[];
  /** How long was waited each time, in seconds. */
  pauses: number[];
}

/** What a collector is given after a run whose sources give this answer. The clock shows 12:00 and moves by pauses alone. */
export function askedSources(
  answer: Answer,
  {
    instances = [observedInstance()],
    series = new Map(),
  }: { instances?: ObservedInstance[]; series?: TrialSeries } = {},
): AskedSources {
  const { clients, requests } = sourcesWith(answer);
  const { now, pause, pauses } = fakeClock();
  const { signal } = new AbortController();
  return {
    context: {
      sources: withLogs({ ...clients, instancesOf: () => Promise.resolve(instances) }),
      now,
      pause: (seconds) => pause(seconds, signal),
      seriesOf: () => Promise.resolve(series),
    },
    requests,
    pauses,
  };
}

export function observedInstance(changes: Partial<ObservedInstance> = {}): ObservedInstance {
  return {
    role: 'only',
    identifier: 'alice-dlv-with-dlv',
    resourceId: 'db-ABCDEFGHIJKL',
    insights: true,
    monitoringIntervalSeconds: 1,
    hasLogVolume: true,
    ...changes,
  };
}

function sourcesWith(answer: Answer) {
  const { options, requests } = fakeAws(answer);
  const clients = {
    cloudWatch: new CloudWatchClient(options),
    logs: new CloudWatchLogsClient(options),
    insights: new PIClient(options),
    rds: new RDSClient(options),
  };
  return { clients, requests };
}
