import type { Client } from 'pg';
import type { UseDatabase } from '../collect/collector.ts';
import { connect } from '../postgres/connect.ts';
import type { Target } from '../postgres/target.ts';
import { disconnect } from '../postgres/unanswered.ts';

/**
 * One connection for all collectors that want the database at the same moment. The first one opens it. `close` ends it until
 * it is wanted again, and `end` for ever.
 */
export class SharedConnection {
  readonly #target: Target;
  #client: Promise<Client> | null = null;
  #commits = 0;
  #ended = false;

  constructor(target: Target) {
    this.#target = target;
  }

  readonly use: UseDatabase = async (use) => {
    if (this.#ended) throw new Error('the database is not asked any more: the trial has failed');
    return use(await (this.#client ??= this.#connect()));
  };

  /** Commits that these connections made at most: two for each of them, which settles its session, and one for each query. */
  get commits(): number {
    return this.#commits;
  }

  async #connect(): Promise<Client> {
    const client = await connect(this.#target);
    this.#commits += 2;
    return new Proxy(client, {
      get: (whole, name) => {
        if (name === 'query') this.#commits += 1;
        const value: unknown = Reflect.get(whole, name);
        return typeof value === 'function' ? (value.bind(whole) as unknown) : value;
      },
    });
  }

  /** Ends the connection. The next use opens another one. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    // If the connection could not be opened, its user has already received the error.
    await client?.then(disconnect).catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.close();
  }
}
