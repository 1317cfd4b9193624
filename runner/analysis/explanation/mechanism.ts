import type { TimeKind } from '../../metrics/transaction-time.ts';
import type { Size } from './sizes.ts';

/** What a link expects of the slower variant. */
export interface Link {
  /**
   * Name of a metric of the catalogue. It must be relative to the work done: a total grows simply with the throughput.
   */
  metric: string;
  /** Whether the slower variant has more or less of it; any: it is enough that it has `atLeast`. */
  slower: 'more' | 'less' | 'any';
  /** How the two sides are compared. Times and shares that may be zero need a difference. */
  by: 'ratio' | 'difference';
  /**
   * What is true of the slower variant, in the words of a DBA. The values of both sides follow it without a label, such as
   * `a flush of WAL takes longer (6.2 against 4.8 ms)`.
   */
  claim: string;
  /** If true, the mechanism is not named without this link. @default false */
  needed?: boolean;
  /** If true, the mechanism is named even if the trials contradict this link. @default false */
  mayOppose?: boolean;
  /** The smallest change, as a ratio minus one or as a difference, that is worth naming. @default any */
  min?: number;
  /** The least value of the slower variant, such as a share that counts as saturated. */
  atLeast?: number;
}

/** A setting in force, as the server prints it; empty if it is not known. */
export type Values = (name: string) => string;

/**
 * One way in which one variant can be slower than another: a chain from its cause to a kind of time that a transaction
 * loses. Settings that act on a kind of time by themselves (causes.ts) and plans that differ come before those that were measured
 * (mechanisms.ts).
 */
export interface Mechanism {
  name: string;
  title: string;
  /**
   * The kinds of time in which the chain ends, and which it accounts for, with the most that it can explain of each; null if it is
   * no cause, but only says where the time goes.
   */
  kinds: Partial<Record<TimeKind, Size | null>>;
  /** From the cause to that time. @default none: only the time itself is named */
  links?: readonly Link[];
  /**
   * At least one of these settings must differ between the sides. Otherwise, the chain may run the other way: more WAL
   * for each transaction may cause the checkpoints, for example. @default any
   */
  differingIn?: readonly string[];
  /** Whether the settings of the slower side can be the slow ones. @default they can */
  isSlow?: (slow: Values, fast: Values) => boolean;
  /** Settings that must not differ: each would be another cause of the same time. @default none */
  equalIn?: readonly string[];
  /** Other causes of the same time. If one holds, the two cannot be distinguished, and this mechanism is not named. */
  unless?: readonly Link[];
  /** Where the mechanism is described. */
  sources: readonly string[];
}

export const manual = 'https://www.postgresql.org/docs/current';
