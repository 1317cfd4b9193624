import type { RDSClient } from '@aws-sdk/client-rds';
import type { Trial } from '../../contract/trial.ts';
import { askInTime } from '../ask-in-time.ts';
import type { LaterContext } from '../collector.ts';
import { readServerLog, timeOf } from './server-log.ts';

/** What began before a trial is told half an hour before it at most, and what ends after it, five minutes later. */
const [before, after] = [30 * 60_000, 5 * 60_000];

/**
 * Lines of the log of an instance of RDS from around a trial, in their order. RDS shows lines a little later than they were
 * written, so it is asked until one is there from after the trial. A log without any line is not waited for.
 *
 * @param instance DBInstanceIdentifier
 * @param isWanted all other lines are left out, so that a log may be long
 * @throws {AwsCallError}
 */
export async function linesAround(
  trial: Pick<Trial, 'startedAt' | 'endedAt'>,
  { rds, instance, isWanted }: { rds: RDSClient; instance: string; isWanted: (line: string) => boolean },
  context: Pick<LaterContext, 'now' | 'pause'>,
): Promise<string[]> {
  const [startedAt, endedAt] = [Date.parse(trial.startedAt), Date.parse(trial.endedAt)];
  const window = [new Date(startedAt - before), new Date(endedAt + after)] as const;
  const read = async () => {
    const found = { wanted: [] as string[], lastAt: Infinity };
    for await (const line of readServerLog(rds, instance, ...window)) {
      if (isWanted(line)) found.wanted.push(line);
      found.lastAt = timeOf(line) ?? found.lastAt;
    }
    return found;
  };
  const { wanted } = await askInTime(read, ({ lastAt }) => lastAt > endedAt, [trial], context);
  return wanted;
}
