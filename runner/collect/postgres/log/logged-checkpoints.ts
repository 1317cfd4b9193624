import type { Metric } from '../../../contract/metric.ts';
import type { LoggedCheckpoint } from '../../../contract/seen-on-server.ts';
import { absent, reasonOf, tellsNothing } from '../../absent.ts';
import { askOfEach } from '../../ask-of-each.ts';
import type { Collection, Collector, Findings } from '../../collector.ts';
import { openLog } from './open-log.ts';
import { checkpointsBetween, parseCheckpointLine, tellsOfCheckpoint } from './checkpoint-lines.ts';

const cycle: Metric = {
  name: 'checkpoints.cycle',
  label: 'checkpoint cycle',
  unit: 's',
  kind: 'duration',
  better: 'higher',
  compared: null,
  source:
    'the server’s log: mean time from the start of one checkpoint to the start of the next, both in the trial; null without two',
};

/** When checkpoints began and ended, as the server's log tells it. RDS gives its log as files, so it is asked later. */
export const loggedCheckpoints: Collector = {
  name: 'logged-checkpoints',
  optional: true,
  metrics: [cycle],
  async start(trial): Promise<Collection> {
    const { serverLog, database, eventsBetween } = trial;
    const isOfRds = eventsBetween !== undefined;
    if (!serverLog && !isOfRds) return tellsNothing(loggedCheckpoints.name, 'the server’s log is out of reach');
    const { rows } = await database((client) => client.query<{ on: boolean }>(isOn));
    if (rows[0]?.on !== true) return tellsNothing(loggedCheckpoints.name, 'log_checkpoints is off: set it on');
    if (!serverLog) return {};
    try {
      const log = await openLog({ serverLog, database });
      return {
        /** Only now, since another trial may still be measured when this one ends. */
        async finish(part) {
          try {
            return findingsOf(await log.lines(tellsOfCheckpoint), part);
          } catch (error) {
            return absent(loggedCheckpoints.name, reasonOf(error));
          }
        },
      };
    } catch (error) {
      return tellsNothing(loggedCheckpoints.name, reasonOf(error));
    }
  },
  later(trials, context) {
    const logging = trials.filter(({ facts }) => facts.absent?.[loggedCheckpoints.name] === undefined);
    return askOfEach(loggedCheckpoints.name, logging, context, async ({ trial, instance }, { rds }) => {
      const { readServerLog } = await import('../../rds/server-log.ts');
      const [startedAt, endedAt] = [new Date(trial.startedAt), new Date(trial.endedAt)];
      const [from, to] = [new Date(startedAt.getTime() - before), new Date(endedAt.getTime() + after)];
      const lines: string[] = [];
      for await (const line of readServerLog(rds, instance.identifier, from, to)) {
        if (tellsOfCheckpoint(line)) lines.push(line);
      }
      return findingsOf(lines, { startedAt, endedAt });
    });
  },
};

/** What began before a trial is looked for half an hour before it at most, and what ends after it, five minutes later. */
const [before, after] = [30 * 60_000, 5 * 60_000];

function findingsOf(lines: readonly string[], { startedAt, endedAt }: { startedAt: Date; endedAt: Date }): Findings {
  const told = lines.flatMap((line) => parseCheckpointLine(line) ?? []);
  const checkpoints = checkpointsBetween(told, { startedAt, endedAt });
  if (!checkpoints) return absent(loggedCheckpoints.name, noTimes);
  return { measures: { [cycle.name]: meanCycle(checkpoints) }, facts: { checkpoints } };
}

/** A checkpoint that began before the trial is left out: how much of its cycle lies in the trial is the phase, not the length. */
function meanCycle(checkpoints: readonly LoggedCheckpoint[]): number | null {
  const starts = checkpoints.filter(({ startedAt, restartpoint }) => startedAt >= 0 && !restartpoint);
  const [first, last] = [starts[0]?.startedAt, starts.at(-1)?.startedAt];
  if (first === undefined || last === undefined || starts.length < 2) return null;
  return (last - first) / (starts.length - 1);
}

const isOn = `SELECT current_setting('log_checkpoints')::boolean AS "on"`;
const noTimes =
  'the lines of the server’s log have no time in UTC: put %m first in log_line_prefix, and set log_timezone';
