import type { Client } from 'pg';
import { connect } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';
import { disconnect } from '../../postgres/unanswered.ts';
import { type Sampler, startSampler } from '../sampler.ts';

/** A sampler of a server that closes its connection when it ends. */
export interface ServerSampler<Value> extends Sampler<Value> {
  /** Ends it at once, even if the server does not answer. */
  abandon(): Promise<void>;
}

/**
 * A connection for one sampler alone. It uses another database, so that the sampler's commits are not counted as
 * transactions of the load.
 */
export function connectSampler(target: Target): Promise<Client> {
  return connect({ ...target, database: 'postgres' }, { application: 'pgduet sampler' });
}

/** Looks at the server at a steady pace. @param client is closed with the sampler */
export function sampleServer<Value>(
  client: Client,
  everySeconds: number,
  look: () => Promise<Value>,
): ServerSampler<Value> {
  const sampler = startSampler(everySeconds, look);
  return {
    async stop(options) {
      const sampled = await sampler.stop(options);
      await disconnect(client);
      return sampled;
    },
    async abandon() {
      await disconnect(client);
      await sampler.stop();
    },
  };
}
