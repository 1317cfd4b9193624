import { grownFor } from './transaction-numbers.ts';

/**
 * How long failed transactions took. The log has no latency of them, but it says when each transaction of a client ended: from
 * the one before to a failed one, the client was busy with what failed.
 */
export class FailedTurns {
  /** When the last transaction of each client ended, in microseconds; 0 before its first one. */
  #ended = new Float64Array(1024);
  #number = 0;
  #sumMicros = 0;

  /** @param follows whether the transaction before is in the log, too */
  take(client: number, endedMicros: number, { follows, failed }: { follows: boolean; failed: boolean }): void {
    if (client >= this.#ended.length) this.#ended = grownFor(client, this.#ended);
    const before = this.#ended[client] ?? 0;
    // A clock that was set back tells nothing.
    if (failed && follows && before > 0 && endedMicros >= before) {
      this.#number += 1;
      this.#sumMicros += endedMicros - before;
    }
    this.#ended[client] = endedMicros;
  }

  /** null if there are none. The first transaction of a client has none before it, and is left out. */
  get meanSeconds(): number | null {
    return this.#number === 0 ? null : this.#sumMicros / this.#number / 1e6;
  }
}
