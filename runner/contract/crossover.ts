/**
 * The time of a crossover, in periods that are counted from 1. The log volumes are exchanged between the instances when each
 * even period begins. Between an even period and the odd one after it nothing happens. So with three exchanges an instance
 * carries A B B A A B, and every exchange has a period before it and one after it that no other exchange has.
 */
export const usualExchanges = 3;

/** How many times an experiment exchanges its log volumes; 0 without a crossover. */
export function exchangesOf({ crossover }: { crossover: false | { exchanges: number } }): number {
  return crossover === false ? 0 : crossover.exchanges;
}

export function periodsOf(exchanges: number): number[] {
  return Array.from({ length: 2 * exchanges }, (_, index) => index + 1);
}

/** The periods right before and right behind an exchange, both counted from 1. */
export function periodsNextTo(exchange: number): [before: number, behind: number] {
  return [2 * exchange - 1, 2 * exchange];
}

export function beginsWithExchange(period: number): boolean {
  return period % 2 === 0;
}

/** Whether the log volumes are not where they were deployed. */
export function isExchanged(period: number): boolean {
  return Math.floor(period / 2) % 2 === 1;
}
