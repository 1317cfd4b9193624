import { UserError } from '../../../contract/errors.ts';
import type { Collection, Collector, Findings } from '../../collector.ts';
import { checkpointsBetween, parseCheckpointLine, tellsOfCheckpoint } from './checkpoint-lines.ts';

/** When checkpoints began and ended, as the server's log tells it. */
export const loggedCheckpoints: Collector = {
  name: 'logged-checkpoints',
  optional: true,
  metrics: [],
  async start(trial): Promise<Collection> {
    const { serverLog, database, now } = trial;
    if (!serverLog) return telling('the server’s log is out of reach');
    const { rows } = await database((client) => client.query<{ on: boolean }>(isOn));
    if (rows[0]?.on !== true) return telling('log_checkpoints is off: set it on');
    try {
      const log = await serverLog();
      let endedAt = now();
      return {
        stop() {
          endedAt = now();
          return Promise.resolve({});
        },
        /** Only now, since another trial may still be measured when this one ends. */
        async finish() {
          try {
            const lines = await log.lines(tellsOfCheckpoint);
            const told = lines.flatMap((line) => parseCheckpointLine(line) ?? []);
            const checkpoints = checkpointsBetween(told, { startedAt: trial.startedAt, endedAt });
            return checkpoints ? { facts: { checkpoints } } : absent(noTimes);
          } catch (error) {
            return absent(reasonOf(error));
          }
        },
      };
    } catch (error) {
      return telling(reasonOf(error));
    }
  },
};

const isOn = `SELECT current_setting('log_checkpoints')::boolean AS "on"`;
const noTimes =
  'the lines of the server’s log have no time in UTC: put %m first in log_line_prefix, and set log_timezone';

function telling(reason: string): Collection {
  return { stop: () => Promise.resolve(absent(reason)) };
}

function absent(reason: string): Findings {
  return { facts: { absent: { [loggedCheckpoints.name]: reason } } };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof UserError)) throw error;
  return error.message;
}
