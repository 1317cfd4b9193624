/**
 * Whether a log lost lines: pgbench counts the transactions of each client from 1 on, including failed and skipped
 * ones, and logs them in this order. What is missing at the end of a log cannot be seen.
 */
export class TransactionNumbers {
  /** Number of the last transaction by client. */
  #last = new Float64Array(1024);
  #missing = 0;
  #repeated = 0;

  /** Returns whether the transaction follows the client's last one in the log. */
  take(client: number, number: number): boolean {
    if (client >= this.#last.length) this.#last = grownFor(client, this.#last);
    const next = (this.#last[client] ?? 0) + 1;
    if (number < next) this.#repeated += 1;
    else {
      this.#missing += number - next;
      this.#last[client] = number;
    }
    return number === next;
  }

  /** In words; none if each client's transactions are all there, up to its last one. */
  problems({ mayMiss }: { mayMiss: boolean }): string[] {
    const text = (count: number): string => count.toLocaleString('en');
    return [
      ...(this.#missing > 0 && !mayMiss
        ? [
            `${text(this.#missing)} transactions are missing before later ones of the same client: the log is a sample (--sampling-rate), or has lost lines`,
          ]
        : []),
      ...(this.#repeated > 0
        ? [
            `${text(this.#repeated)} transactions have a number that their client had before: lines are repeated or out of order, or the logs are from several runs`,
          ]
        : []),
    ];
  }
}

/** The values of each client, in an array with room for this client, too. */
export function grownFor(client: number, values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 ** Math.ceil(Math.log2(client + 1)));
  larger.set(values);
  return larger;
}
