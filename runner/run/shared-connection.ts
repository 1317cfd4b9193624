import type { Client } from 'pg';
import type { UseDatabase } from '../collect/collector.ts';
import { connect } from '../postgres/connect.ts';
import type { Target } from '../postgres/target.ts';

/** One connection for all collectors that want something at the same moment: opened by the first, closed at its end. */
export class SharedConnection {
  readonly #target: Target;
  #client: Promise<Client> | null = null;

  constructor(target: Target) {
    this.#target = target;
  }

  readonly use: UseDatabase = async (use) => use(await (this.#client ??= connect(this.#target)));

  /** The moment is over; the next use opens another one. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    // What could not be opened has been told to whoever wanted it.
    await client?.then((one) => one.end()).catch(() => undefined);
  }
}
