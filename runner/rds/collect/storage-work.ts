import { UserError } from '../../contract/errors.ts';
import { serverName } from '../../contract/server.ts';
import type { Collector } from '../../collect/collector.ts';

/**
 * Whether RDS initialises or optimises the volumes of the server when a trial ends. Before a trial, pgduet waits until
 * both are over, but they may begin while it runs.
 */
export const storageWork: Collector = {
  name: 'storage-work',
  optional: false,
  metrics: [],
  start(trial) {
    return Promise.resolve({
      async finish() {
        if (!trial.storageWork) return {};
        try {
          return { facts: { storageWork: await trial.storageWork(trial) } };
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          return {
            warnings: [`pgduet could not ask about the storage of ${serverName(trial.conditions)}: ${error.message}`],
          };
        }
      },
    });
  },
};
