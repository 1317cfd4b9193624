import type { Account } from './account.ts';

/** The time of an account, which runs ahead of the clock: hours in which nothing happens pass at once. */
export class AccountClock {
  readonly #account: Account;
  #passedMs = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  now(): Date {
    return new Date(Date.now() + this.#passedMs);
  }

  /** Lets the time until then pass, if it has not. */
  async passUntil(moment: Date): Promise<void> {
    const ms = moment.getTime() - this.now().getTime();
    if (ms <= 0) return;
    await this.#account.control('pass-time', { minutes: ms / 60_000 });
    this.#passedMs += ms;
  }
}
