import * as z from 'zod';
import { checkSchema } from './check.ts';
import { idAmong } from './earlier-words.ts';
import { levelSchema } from './trial.ts';
import { withheldReasonSchema } from './withheld.ts';

const attemptSchema = z.int().min(1);

/**
 * One pair of values that the estimate used, with the trials that it comes from. These are the trials of one block, or
 * of several blocks and replicas; then each value is their mean. The mean is geometric if ratios are compared and every
 * value is above zero.
 */
const pairSchema = z.object({
  /** The block, if the pair comes from one trial of either side. */
  block: z.int().optional(),
  attempt: attemptSchema.optional(),
  /** The blocks, if it comes from several trials of either side; `attempts` and `replicas` belong to them, one each. */
  blocks: z.array(z.int()).optional(),
  attempts: z.array(attemptSchema).optional(),
  replicas: z.array(z.int()).optional(),
  /** The pair of instances, if one pair of instances is one value. */
  replica: z.int().optional(),
  /** Only in a crossover of several exchanges: the one between its two blocks, from 1. */
  exchange: z.int().optional(),
  baseline: z.number(),
  candidate: z.number(),
  /** Where both are geometric means: the arithmetic ones of the same trials, which totals add up. */
  means: z.object({ baseline: z.number(), candidate: z.number() }).optional(),
  /** Change from baseline to candidate in this pair, on the scale of the comparison's `change`. */
  change: z.number().nullable(),
});

export type CountedPair = z.output<typeof pairSchema>;

/**
 * A block whose outcome exists but is unknown: the lower end of the interval takes its log-ratio as minus infinity, the
 * upper end as plus infinity.
 */
const unknownBlockSchema = z.object({
  block: z.int(),
  /** Only if each variant has several servers. */
  replica: z.int().optional(),
  /**
   * - lost: a trial failed, or failed a check, and nothing outside the servers explains it;
   * - cut-off: the block was cut off when its figures could already be seen, and was measured anew;
   * - no-value: both trials finished, but one has no value of the declared metric, and other blocks have.
   */
  reason: z.enum(['lost', 'cut-off', 'no-value']),
  /** Ids of the trials because of which it is unknown. */
  trials: z.array(z.string()),
  /** What happened to the first of them; a phrase. */
  why: z.string(),
});

export type UnknownBlock = z.output<typeof unknownBlockSchema>;

/** How many trials of a side ended by themselves, and how many of these it lost. */
const lossesSchema = z.object({ lost: z.int(), of: z.int() });

export const intervalSchema = z.object({ low: z.number(), high: z.number(), level: z.number() });

/** The two variants that something is about, by their names, and their level; empty if nothing but the variant is varied. */
export const variantsShape = { baseline: z.string(), candidate: z.string(), conditions: levelSchema };

const sideSchema = z.object({
  variant: z.string(),
  /**
   * What `change` compares, so that `change` follows exactly from the values of the two sides: the estimate's own
   * centre of this side over all pairs; the mean if sums are compared, which has the same ratio; the median if runs belong to no blocks. null in
   * files without it, until they are opened: `withSideValues` computes it.
   */
  value: z.number().nullable().default(null),
  median: z.number().nullable(),
  /** Number of blocks, or of runs if there are no blocks. */
  n: z.int(),
  /** Interval of the median, from order statistics; null below six values. */
  interval: intervalSchema.nullable(),
});

/**
 * - this-machine: one start of servers on the machine that the driver runs on;
 * - one-server: the variants are databases of one existing server, measured in turn;
 * - these-servers: each variant is an existing server, or some are, so that their machines cannot be told from the variants;
 * - these-instances: one instance or cluster for each variant, so that hosts and volumes cannot be told from the
 *   variants;
 * - hosts-cancelled: a crossover: each instance was both variants, but with few log volumes;
 * - configurations: several pairs of instances, each pair one value.
 */
export const scopes = [
  'this-machine',
  'one-server',
  'these-servers',
  'these-instances',
  'hosts-cancelled',
  'configurations',
] as const;

export const verdicts = ['better', 'worse', 'equivalent', 'inconclusive', 'descriptive'] as const;

/** Whether a verdict answers the question: better, worse or equivalent. */
export function isSettled(verdict: (typeof verdicts)[number] | null): boolean {
  return verdict === 'better' || verdict === 'worse' || verdict === 'equivalent';
}

/** One metric of one candidate against the baseline at one level; contract: `compare --json`. */
export const comparisonSchema = z.object({
  metric: z.string(),
  unit: z.string(),
  better: z.enum(['higher', 'lower']),
  /** True for the one declared metric that gets a verdict. */
  primary: z.boolean(),
  /** The level, such as `{ clients: 16 }`; empty if nothing but the variant is varied. */
  conditions: levelSchema,
  method: z.string(),
  /** What the numbers hold for; null if nothing is known about the servers, as with raw outputs. */
  scope: z.enum(scopes).nullable(),
  baseline: sideSchema,
  candidate: sideSchema,
  /**
   * Relative change of candidate against baseline (0.1 is +10%); a difference for shares; null if it cannot be
   * calculated.
   */
  change: z.number().nullable(),
  /** How many times better, minus 1: the published studies' "% improvement". Negative if worse. */
  speedup: z.number().nullable(),
  /**
   * Interval of the change. Its level is exact for this number of values, and at least the level that was asked for.
   */
  interval: intervalSchema.nullable(),
  /**
   * `descriptive` if the design allows no verdict. null for metrics that are not primary or were chosen afterwards, and
   * if a check failed.
   */
  verdict: z.enum(verdicts).nullable(),
  /**
   * Only with an inconclusive verdict: what keeps it from being settled.
   *
   * - typical-and-total-disagree: the interval excludes zero, but the totals do not lie on the same side of it;
   * - totals-beyond-the-threshold: the interval lies within the threshold, but the totals with their error do not;
   * - unknown-blocks: the interval lies within the threshold, but unknown blocks leave the totals without a bound;
   * - not-against-the-control: what holds against the baseline does not hold against a control;
   * - other-programs: what they took of the two sides can explain the change, or hide a larger one; also of a metric that
   *   does not decide, if its interval excludes zero.
   */
  undecided: idAmong([
    'interval-includes-zero',
    'typical-and-total-disagree',
    'totals-beyond-the-threshold',
    'unknown-blocks',
    'not-against-the-control',
    'other-programs',
  ]).optional(),
  /**
   * Only with the declared metric, and if programs outside the run, or other virtual machines, took a noticeable share of this
   * machine's processors beside trials that count.
   */
  beside: z
    .object({
      /** The mean share of the processors that they took of the trials of each side. */
      taken: z.object({ baseline: z.number(), candidate: z.number() }),
      /** Those that took most, with the mean number of processors that each kept busy. */
      programs: z.array(z.object({ name: z.string(), processors: z.number() })),
      /**
       * Interval of the change on a quiet machine, of the same level: wider by what they can explain. An end without a
       * bound is null.
       */
      quiet: z.object({ low: z.number().nullable(), high: z.number().nullable() }),
      /**
       * The same beside equal programs: wider by what the difference of the two shares can explain. A verdict of better or worse needs
       * it.
       */
      alike: z.object({ low: z.number().nullable(), high: z.number().nullable() }),
      /** Whether the verdict holds only beside such programs: on a quiet machine, the interval includes zero, or the totals may contradict it. */
      isCondition: z.boolean(),
    })
    .optional(),
  /** Why there is no verdict: failed checks, and what else a verdict needs. Empty if there is one. */
  withheld: z.array(withheldReasonSchema),
  /** Checks of the two variants; empty if the comparison is not primary. */
  checks: z.array(checkSchema),
  /**
   * Only with an inconclusive verdict: about how many blocks in all would settle it with an even chance, if they vary
   * as the blocks so far.
   */
  blocksToSettle: z.int().optional(),
  /** Only with the declared metric, and if there are any. */
  unknownBlocks: z.array(unknownBlockSchema).optional(),
  /**
   * How many pairs unknown blocks make unknown, with any metric: in a crossover, two blocks are a pair. Absent if none.
   */
  unknownPairs: z.int().optional(),
  /** The exchange of each of them, in a crossover of several. */
  unknownExchanges: z.array(z.int()).optional(),
  /** Trials that the servers lost; only with the declared metric, and if a side lost any. */
  losses: z.object({ baseline: lossesSchema, candidate: lossesSchema }).optional(),
  /** Exactly the pairs that the estimate used, in the order of time; empty if runs belong to no blocks. */
  pairs: z.array(pairSchema),
  /**
   * Ids of the trials that the pairs come from, those of one block and one pair of servers together. Empty in files
   * without them, until they are opened: `withTrialIds` finds them.
   */
  trials: z.array(z.object({ baseline: z.string(), candidate: z.string() })).default([]),
});

export type Comparison = z.output<typeof comparisonSchema>;
export type Scope = (typeof scopes)[number];
/** What one value of an estimate comes from. */
export type Unit = 'block' | 'block-pair' | 'instance-pair';
/** Runs that belong to no blocks are compared as they are. */
export type ComparedUnit = Unit | 'run';
export type ComparedSide = Comparison['baseline'];
export type Verdict = (typeof verdicts)[number];

/** What one value of a comparison comes from. Runs that belong to no blocks have no scope. */
export function unitOf({ scope, pairs }: Pick<Comparison, 'scope' | 'pairs'>): ComparedUnit {
  if (scope === null) return 'run';
  if (scope === 'configurations') return 'instance-pair';
  const isOneBlock = (pair: CountedPair): boolean => new Set(trialsOfPair(pair).map(({ block }) => block)).size <= 1;
  return pairs.every(isOneBlock) ? 'block' : 'block-pair';
}

const units: Readonly<Record<ComparedUnit, readonly [one: string, several: string]>> = {
  run: ['run', 'runs'],
  block: ['block', 'blocks'],
  'block-pair': ['block pair', 'block pairs'],
  'instance-pair': ['instance pair', 'instance pairs'],
};

/** The word that follows a number of units. */
export function unitWords(unit: ComparedUnit, count: number): string {
  const [one, several] = units[unit];
  return count === 1 ? one : several;
}

export type PairOfIds = Comparison['trials'][number];

/** How to find both trials of a pair, besides their variants and level. */
export interface PairedTrials {
  block: number;
  attempt: number;
  /** Only if each variant has several servers. */
  replica?: number | undefined;
  /** Absent if trials have none, such as those of raw outputs. */
  ids?: PairOfIds;
}

/** The trials that a pair comes from, one entry for a trial of either side. */
export function trialsOfPair(pair: CountedPair): PairedTrials[] {
  const { block, blocks = block === undefined ? [] : [block], attempt = 1, replica } = pair;
  return blocks.map((one, index) => ({
    block: one,
    attempt: pair.attempts?.[index] ?? attempt,
    replica: replica ?? pair.replicas?.[index],
  }));
}

/** Whether an interval holds even if a host changed in mid-run: that of a crossover with several exchanges. */
export function leavesOutCrossovers({
  pairs,
  unknownExchanges = [],
}: Pick<Comparison, 'pairs' | 'unknownExchanges'>): boolean {
  return unknownExchanges.length > 0 || pairs.some(({ exchange }) => exchange !== undefined);
}

/** How many pairs of instances a comparison used; 1 if each variant has one server. */
export function replicasOf({ pairs }: Pick<Comparison, 'pairs'>): number {
  return Math.max(1, new Set(pairs.flatMap(trialsOfPair).flatMap(({ replica }) => replica ?? [])).size);
}

/** Such as `3`, `3 and 9`, `replica 2` or `3 on replica 2`; a repeated block with its attempt, such as `3 (attempt 2)`. */
export function pairWords(pair: CountedPair): string {
  if (pair.replica !== undefined)
    return pair.block === undefined ? `replica ${pair.replica}` : `${pair.block} on replica ${pair.replica}`;
  const words = trialsOfPair(pair).map(({ block, attempt }) =>
    attempt > 1 ? `${block} (attempt ${attempt})` : `${block}`,
  );
  return [...new Set(words)].join(' and ');
}
