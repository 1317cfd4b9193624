import type { Metric } from '../../../contract/metric.ts';
import { reasonOf, emptyCollection } from '../../ask-of-each.ts';
import type { Collection, Collector } from '../../collector.ts';
import { openLog } from './open-log.ts';

const rate: Metric = {
  name: 'server.logged',
  label: 'written to the server’s log',
  unit: 'B/s',
  kind: 'bytes',
  better: 'lower',
  compared: null,
  source: 'growth of the server’s log file over the measured part',
};

/** Above this rate, the log slows a small server noticeably. */
const muchPerSecond = 2 ** 20;

/**
 * How much the server writes into its log. Statements, notices and errors of a load may be more than its WAL. Only on
 * this machine.
 */
export const logRate: Collector = {
  name: 'server-log',
  optional: true,
  metrics: [rate],
  async start({ serverLog, database }): Promise<Collection> {
    if (!serverLog) return {};
    const log = await openLog({ serverLog, database }).catch((error: unknown) => reasonOf(error));
    if (typeof log === 'string') return emptyCollection(logRate.name, log);
    return {
      async stop({ startedAt, endedAt }) {
        const seconds = Math.max(1, (endedAt.getTime() - startedAt.getTime()) / 1000);
        const perSecond = (await log.bytes()) / seconds;
        const mib = (perSecond / 2 ** 20).toLocaleString('en', { maximumSignificantDigits: 2 });
        return {
          measures: { [rate.name]: perSecond },
          warnings:
            perSecond > muchPerSecond
              ? [
                  `The server wrote ${mib} MiB per second into its log, which slows it down. Look for RAISE LOG, log_statement, log_min_duration_statement, or errors of the load.`,
                ]
              : [],
        };
      },
    };
  },
};
