import { grownFor } from './tallies.ts';

/**
 * Whether a log lost lines: pgbench counts the transactions of each client, including failed and skipped ones, and logs
 * them in this order. Up to 9.6 it counts from 0, and a skipped transaction has the number of the next one. What is
 * missing at the end of a log cannot be seen. Source: doLog in src/bin/pgbench/pgbench.c.
 */
export class TransactionNumbers {
  /** Number of the last transaction by client, plus 1; 0 before its first one. */
  #next = new Float64Array(1024);
  /** By client: whether that transaction was skipped. */
  #wasSkipped = new Set<number>();
  #clients = 0;
  #sumOfFirst = 0;
  #fromZero = false;
  #missingBetween = 0;
  #repeated = 0;
  #afterSkipped = { same: 0, next: 0 };

  /** Returns whether the transaction follows the client's last one in the log. */
  take(client: number, number: number, isSkipped = false): boolean {
    if (client >= this.#next.length) this.#next = grownFor(client, this.#next);
    const next = this.#next[client] ?? 0;
    const wasSkipped = this.#wasSkipped.size > 0 && this.#wasSkipped.has(client);
    if (isSkipped) this.#wasSkipped.add(client);
    else if (wasSkipped) this.#wasSkipped.delete(client);
    if (next === 0) {
      this.#clients += 1;
      this.#sumOfFirst += number;
      this.#fromZero ||= number === 0;
    } else if (wasSkipped && number === next - 1) {
      this.#afterSkipped.same += 1;
      return true;
    } else if (number < next) {
      this.#repeated += 1;
      return false;
    } else {
      this.#missingBetween += number - next;
      if (wasSkipped && number === next) this.#afterSkipped.next += 1;
    }
    this.#next[client] = number + 1;
    return number === next;
  }

  /** In words; none if each client's transactions are all there, up to its last one. */
  problems({ mayMiss }: { mayMiss: boolean }): string[] {
    const text = (count: number): string => count.toLocaleString('en');
    const missing = this.#missingBetween + this.#sumOfFirst - (this.#fromZero ? 0 : this.#clients);
    // No version does both.
    const repeated = this.#repeated + (this.#afterSkipped.next > 0 ? this.#afterSkipped.same : 0);
    return [
      ...(missing > 0 && !mayMiss
        ? [
            `${text(missing)} transactions are missing before later ones of the same client: the log is a sample (--sampling-rate), or has lost lines`,
          ]
        : []),
      ...(repeated > 0
        ? [
            `${text(repeated)} transactions have a number that their client had before: lines are repeated or out of order, or the logs are from several runs`,
          ]
        : []),
    ];
  }
}
