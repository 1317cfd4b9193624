import { type ReadPair, combinePairs } from '../../runner/analysis/units.ts';
import type { Scope } from '../../runner/contract/comparison.ts';
import { mean } from '../../runner/statistics/summaries.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { hostThatLoses, measureCrossover, type SimulatedCrossover } from './crossovers.ts';
import { simulateBlocks } from './experiments.ts';
import { independent, type Random, seededRandom } from './noise.ts';
import { type Count, countOutcomes, rate, type Table } from './table.ts';
import { decideAlone, type Pair } from './tool.ts';
import { scopeWords } from '../../runner/report/answer/change-words.ts';

/** One run on instances that differ by more than their configuration. Values are log-ratios, candidate to baseline. */
interface MeasuredOnce {
  pairs: Pair[];
  /** The true value of what the answer covers. */
  claimed: number;
  /** The true value of the configurations. */
  configurationEffect: number;
}

interface ScopeCase {
  name: string;
  scope: Scope;
  /** Pairs of instances; one unless it is given. */
  replicas?: number;
  /** For a crossover: whether its answer also holds if a host changes. */
  hostsMayChange?: boolean;
  /** An assumption that the answer states, but that is not met here. */
  breaks?: string;
  measure: (random: Random) => MeasuredOnce;
}

/** The level of a host, drawn when the instance is made. */
type Host = (random: Random) => number;

const spreadBy =
  (share: number): Host =>
  (random) =>
    share * normalVariate(random);
const oneInThreeSlow: Host = (random) => (random() < 1 / 3 ? Math.log(0.9) : 0);

const blocks = 6;
const volumeSpread = 0.02;
/** The effect; a tenth of it stays behind. */
const carried = Math.log(1.3);

const onePair = (host: Host, name: string): ScopeCase => ({
  name: `one pair of instances, ${name}`,
  scope: 'these-instances',
  measure: (random) => measurePairs({ host, replicas: 1, unit: 'block' }, random),
});

export const scopeCases: ScopeCase[] = [
  ...[0.02, 0.03, 0.05].map((share) => onePair(spreadBy(share), `whose hosts vary by ${share * 100}%`)),
  onePair(oneInThreeSlow, 'one host in three 10% slower'),
  ...crossovers({ exchanges: 1, blocks: 12 }, 'a crossover of one exchange, 12 blocks', {
    breaks: 'assuming that neither host changed during the run',
  }),
  ...crossovers({ exchanges: 3, blocks: 18 }, 'a crossover of three exchanges, 18 blocks', {}),
  {
    name: 'three pairs of instances, whose hosts vary by 5%',
    scope: 'these-instances',
    replicas: 3,
    measure: (random) => measurePairs({ host: spreadBy(0.05), replicas: 3, unit: 'block' }, random),
  },
  {
    name: 'six pairs of instances, whose hosts vary by 5%',
    scope: 'configurations',
    replicas: 6,
    measure: (random) => measurePairs({ host: spreadBy(0.05), replicas: 6, unit: 'instance-pair' }, random),
  },
  {
    name: 'six pairs of instances, one host in three 10% slower',
    scope: 'configurations',
    replicas: 6,
    measure: (random) => measurePairs({ host: oneInThreeSlow, replicas: 6, unit: 'instance-pair' }, random),
  },
];

/**
 * Each pair of instances has hosts of its own. The claim of a few pairs is about these pairs; that of enough pairs is
 * about all.
 */
function measurePairs(
  { host, replicas, unit }: { host: Host; replicas: number; unit: 'block' | 'instance-pair' },
  random: Random,
): MeasuredOnce {
  const between = Array.from({ length: replicas }, () => host(random) - host(random));
  const read = between.flatMap((effect, index) => readBlocks({ effect, replica: index + 1 }, random));
  return {
    pairs: combinePairs(read, 'ratio', { unit, exchanges: 0 }).pairs,
    claimed: unit === 'instance-pair' ? 0 : mean(between),
    configurationEffect: 0,
  };
}

/** Crossovers whose hosts vary, with further trouble in some. */
function crossovers(
  of: Pick<SimulatedCrossover, 'exchanges' | 'blocks'>,
  name: string,
  lacking: Pick<ScopeCase, 'breaks'>,
): ScopeCase[] {
  const hosts: SimulatedCrossover['hosts'] = (random) => {
    const between = spreadBy(0.05)(random) - spreadBy(0.05)(random);
    return () => between;
  };
  const each = (what: string, more: Omit<SimulatedCrossover, 'exchanges' | 'blocks'>): ScopeCase => ({
    name: `${name}, ${what}`,
    scope: 'hosts-cancelled',
    hostsMayChange: of.exchanges > 1,
    measure: (random) => ({
      ...measureCrossover({ ...of, ...more }, random),
      configurationEffect: more.effect ?? 0,
    }),
  });
  return [
    each('hosts that vary by 5%', { hosts }),
    each('hosts that vary by 5% and log volumes by 2%', { hosts, volumes: volumeSpread }),
    each('the same hosts, +30%, of which a tenth stays behind with the instance that had it', {
      hosts,
      effect: carried,
      carriedOver: 0.1,
    }),
    { ...each('one host loses 10% at some time of the run', { hosts: hostThatLoses(0.1, of.blocks) }), ...lacking },
  ];
}

function readBlocks({ effect, replica }: { effect: number; replica: number }, random: Random): ReadPair[] {
  return simulateBlocks({ noise: independent, blocks, effect, random }).map((pair, index) => ({
    ...pair,
    trials: [{ block: index + 1, attempt: 1, replica }],
    period: 1,
  }));
}

export interface ScopeCounts {
  /** Intervals that miss the true value of what the answer covers. */
  missesClaim: Count;
  /** Intervals that miss the true value of the configurations. */
  missesConfigurations: Count;
  /** Better or worse, although the configurations are equal or differ the other way round. */
  falseOfConfigurations: Count;
}

export function countScope({ measure }: ScopeCase, experiments: number): ScopeCounts {
  const random = seededRandom(5);
  const count = countOutcomes(experiments, () => {
    const { pairs, claimed, configurationEffect } = measure(random);
    const { verdict, interval } = decideAlone(pairs);
    const misses = (truth: number): boolean =>
      interval === null || Math.log1p(interval.low) > truth || Math.log1p(interval.high) < truth;
    return {
      missesClaim: misses(claimed),
      missesConfigurations: misses(configurationEffect),
      falseOfConfigurations:
        (verdict === 'better' && configurationEffect <= 0) || (verdict === 'worse' && configurationEffect >= 0),
    };
  });
  return {
    missesClaim: count('missesClaim'),
    missesConfigurations: count('missesConfigurations'),
    falseOfConfigurations: count('falseOfConfigurations'),
  };
}

export function scopesTable(experiments: number): Table {
  return {
    title:
      '**Instances and configurations: what the answer covers, and how often it would be wrong if it covered more**',
    head: [
      'measured on',
      'the answer holds',
      'interval misses that',
      'interval misses the truth about the configurations',
      'verdict is false for the configurations',
    ],
    rows: scopeCases.map((one) => {
      const { missesClaim, missesConfigurations, falseOfConfigurations } = countScope(one, experiments);
      return [
        one.name,
        scopeWords(one.scope, one.replicas, one).on,
        rate(missesClaim),
        rate(missesConfigurations),
        rate(falseOfConfigurations),
      ];
    }),
  };
}
