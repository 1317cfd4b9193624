/** The figures of one block of a summary: for each line that was found, what its pattern captured. */
export class Figures {
  #found = new Map<string, readonly string[]>();

  add(line: string, captured: readonly string[]): void {
    this.#found.set(line, captured);
  }

  has(...lines: readonly string[]): boolean {
    return lines.some((line) => this.#found.has(line));
  }

  /** As it is printed; undefined if it is not. */
  text(line: string, capture = 0): string | undefined {
    return this.#found.get(line)?.[capture];
  }

  /** NaN if it is not printed; no comparison with NaN holds. */
  number(line: string, capture = 0): number {
    return Number(this.text(line, capture) ?? NaN);
  }

  /** 0 if it is not printed, because nothing of the kind can happen then. */
  count(line: string): number {
    return Number(this.text(line) ?? 0);
  }

  /** null if it is not printed, and for NaN and inf, which pgbench prints after a division by zero. */
  finite(line: string, capture = 0): number | null {
    const value = this.number(line, capture);
    return Number.isFinite(value) ? value : null;
  }

  /** The largest number that may have been rounded to this one. */
  atMost(line: string): number {
    return this.number(line) + lastPlaceOf(this.text(line));
  }

  /** All transactions that came to an end: carried out, failed or skipped. */
  get ended(): number {
    return this.count('processed') + this.count('failed') + this.count('skipped');
  }

  /** Up to 13, the speed that includes the time to connect, because pgbench computes shares and latencies from it. */
  get speed(): string | undefined {
    return this.text('tpsIncluding') ?? this.text('tps');
  }

  /**
   * The transactions of a script that were carried out, and their speed. From 18 on, "transactions" includes the failed
   * and the skipped ones, and a separate line counts those that were carried out.
   */
  get carriedOut(): (string | undefined)[] {
    return this.has('processed')
      ? [this.text('processed'), this.text('processed', 1)]
      : [this.text('transactions'), this.text('transactions', 2)];
  }
}

/** The value of the last printed place: 0.001 for 1.907, 1 for 12. */
export function lastPlaceOf(text: string | undefined): number {
  return 10 ** -decimalsOf(text ?? '');
}

export function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}
