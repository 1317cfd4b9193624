import {
  type CloudWatchLogsClient,
  GetLogEventsCommand,
  type GetLogEventsResponse,
} from '@aws-sdk/client-cloudwatch-logs';
import * as z from 'zod';
import { callAws } from '../../aws/call.ts';
import type { Window } from '../../../collect/collector.ts';

const logGroupName = 'RDSOSMetrics';

/**
 * What Enhanced Monitoring saw of an instance in a window, in order of time. Each sample is parsed as it arrives,
 * because its list of processes makes it as large as a page.
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
    // A page before the last may be empty. The last page returns the token that it was requested with.
    if (nextForwardToken === undefined || nextForwardToken === nextToken) break;
    nextToken = nextForwardToken;
  }
  return [...samples.values()].sort((a, b) => a.at - b.at);
}

/** What the agent on the host of an instance saw in one interval, in base units. */
export interface OsSample {
  /** Unix time in milliseconds. */
  at: number;
  /** Shares of all processors' time by activity, such as `user`, `wait` and `steal`. */
  cpu: Record<string, number>;
  /** By the device's name: volumes as the database sees them (`rdsdev`, `rdsdbdata`), and the devices below them. */
  devices: Map<string, DeviceSample>;
}

export interface DeviceSample {
  /** Per second. */
  reads: number;
  writes: number;
  readBytes: number;
  writeBytes: number;
  /** Number of waiting operations. */
  queue: number;
  /** Seconds that an operation takes, including waiting. */
  await: number;
  /** Share of the time in which an operation was under way. */
  busy: number;
}

/** "Kb" is KiB: in recorded samples, writeKbPS / tps equals avgReqSz sectors of 512 bytes. */
const kilobyte = 1024;

const deviceSchema = z.object({
  device: z.string().min(1),
  readIOsPS: z.number(),
  writeIOsPS: z.number(),
  readKbPS: z.number(),
  writeKbPS: z.number(),
  avgQueueLen: z.number(),
  await: z.number(),
  util: z.number(),
});

const sampleSchema = z.object({
  timestamp: z.iso.datetime(),
  cpuUtilization: z.record(z.string(), z.number()),
  diskIO: z.array(z.unknown()).default([]),
  physicalDeviceIO: z.array(z.unknown()).default([]),
});

/**
 * Reads one event of the log group RDSOSMetrics.
 *
 * @returns null if the text is not an event; without devices that lack a value, such as the storage of Aurora
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring-Available-OS-Metrics.html for the fields
 */
export function parseSample(text: string): OsSample | null {
  const { data: sample } = sampleSchema.safeParse(jsonOf(text));
  if (!sample) return null;
  const devices = [...sample.diskIO, ...sample.physicalDeviceIO].flatMap((one): [string, DeviceSample][] => {
    const { data } = deviceSchema.safeParse(one);
    return data ? [[data.device, inBaseUnits(data)]] : [];
  });
  return {
    at: Date.parse(sample.timestamp),
    cpu: Object.fromEntries(Object.entries(sample.cpuUtilization).map(([part, percent]) => [part, percent / 100])),
    devices: new Map(devices),
  };
}

function inBaseUnits(device: z.output<typeof deviceSchema>): DeviceSample {
  return {
    reads: device.readIOsPS,
    writes: device.writeIOsPS,
    readBytes: device.readKbPS * kilobyte,
    writeBytes: device.writeKbPS * kilobyte,
    queue: device.avgQueueLen,
    await: device.await / 1000,
    busy: device.util / 100,
  };
}

function jsonOf(text: string): unknown {
  try {
    // eslint-disable-next-line no-restricted-syntax -- its caller has the schema
    return JSON.parse(text);
  } catch {
    return null;
  }
}
