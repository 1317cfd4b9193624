import type { Client } from 'pg';
import type { UseDatabase } from '../collect/collector.ts';
import { connect } from '../postgres/connect.ts';
import type { Target } from '../postgres/target.ts';
import { disconnect, inWords } from '../postgres/unanswered.ts';

/** One connection for all collectors that want the database at the same moment. The first one opens it; `close` ends it. */
export class SharedConnection {
  readonly #target: Target;
  #client: Promise<Client> | null = null;

  constructor(target: Target) {
    this.#target = target;
  }

  readonly use: UseDatabase = async (use) => {
    try {
      return await use(await (this.#client ??= connect(this.#target)));
    } catch (error) {
      throw inWords(error, this.#target.server);
    }
  };

  /** Ends the connection. The next use opens another one. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    // If the connection could not be opened, its user has already received the error.
    await client?.then(disconnect).catch(() => undefined);
  }
}
