import { crossOver } from '../../runner/analysis/cross-over.ts';
import type { Scope } from '../../runner/contract/comparison.ts';
import { scopeWords } from '../../runner/report/words/scope-words.ts';
import { normalVariate } from '../../runner/statistics/normal-variate.ts';
import { simulateBlocks } from './experiments.ts';
import { independent, type Random, seededRandom } from './noise.ts';
import { besideEarlier, type Count, countOutcomes, rate, type Table } from './table.ts';
import { decideAlone, type Pair } from './tool.ts';

/** One run on instances that differ by more than their configuration. Values are log-ratios, candidate to baseline. */
interface MeasuredOnce {
  pairs: Pair[];
  /** True of what the answer speaks of. */
  claimed: number;
  /** True of the configurations. */
  ofConfigurations: number;
}

interface ScopeCase {
  name: string;
  scope: Scope;
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
/** The effect of which a tenth stays behind, on the instance that had it. */
const carried = Math.log(1.3);

// The place for `replicas`: their pairs of instances are drawn anew by the same hosts and volumes, and the pair is the unit.
export const scopeCases: ScopeCase[] = [
  ...[0.02, 0.03, 0.05].map((share) => ({
    name: `one pair of instances, whose hosts vary by ${share * 100} %`,
    scope: 'these-instances' as const,
    measure: (random: Random) => measureOnePair(spreadBy(share), random),
  })),
  {
    name: 'one pair of instances, one host in three 10 % slower',
    scope: 'these-instances',
    measure: (random) => measureOnePair(oneInThreeSlow, random),
  },
  {
    name: 'a crossover of 12 blocks, hosts that vary by 5 %',
    scope: 'hosts-cancelled',
    measure: (random) => measureCrossover({ host: spreadBy(0.05), volumes: 0, effect: 0, carriedOver: 0 }, random),
  },
  {
    name: 'the same, and log volumes that vary by 2 %',
    scope: 'hosts-cancelled',
    measure: (random) =>
      measureCrossover({ host: spreadBy(0.05), volumes: volumeSpread, effect: 0, carriedOver: 0 }, random),
  },
  {
    name: 'the same crossover without that, +30 %, and a tenth of it stays behind with the instance that had it first',
    scope: 'hosts-cancelled',
    measure: (random) =>
      measureCrossover({ host: spreadBy(0.05), volumes: 0, effect: carried, carriedOver: 0.1 }, random),
  },
];

function measureOnePair(host: Host, random: Random): MeasuredOnce {
  const between = host(random) - host(random);
  return {
    pairs: simulateBlocks({ noise: independent, blocks, effect: between, random }),
    claimed: between,
    ofConfigurations: 0,
  };
}

/** Two halves, with the instances exchanged; each half makes a log volume anew. */
function measureCrossover(
  { host, volumes, effect, carriedOver }: { host: Host; volumes: number; effect: number; carriedOver: number },
  random: Random,
): MeasuredOnce {
  const between = host(random) - host(random);
  const [first, second] = [
    effect + between + spreadBy(volumes)(random),
    effect * (1 - carriedOver) - between + spreadBy(volumes)(random),
  ];
  const pairs = ([first, second] as const).flatMap((of, half) =>
    simulateBlocks({ noise: independent, blocks, effect: of, random }).map((pair, index) => ({
      ...pair,
      blocks: [{ block: half * blocks + index + 1, attempt: 1 }],
      period: half === 0 ? (1 as const) : (2 as const),
    })),
  );
  return { pairs: crossOver(pairs, 'ratio'), claimed: (first + second) / 2, ofConfigurations: effect };
}

export interface ScopeCounts {
  /** Intervals that miss what the answer speaks of. */
  missesClaim: Count;
  /** Intervals that miss what is true of the configurations. */
  missesConfigurations: Count;
  /** Better or worse, where the configurations are the same, or the other way round. */
  falseOfConfigurations: Count;
}

export function countScope({ measure }: ScopeCase, experiments: number): ScopeCounts {
  const random = seededRandom(5);
  const count = countOutcomes(experiments, () => {
    const { pairs, claimed, ofConfigurations } = measure(random);
    const { verdict, interval } = decideAlone(pairs);
    const misses = (truth: number): boolean =>
      interval === null || Math.log1p(interval.low) > truth || Math.log1p(interval.high) < truth;
    return {
      missesClaim: misses(claimed),
      missesConfigurations: misses(ofConfigurations),
      falseOfConfigurations:
        (verdict === 'better' && ofConfigurations <= 0) || (verdict === 'worse' && ofConfigurations >= 0),
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
      '**Instances and configurations: what the answer speaks of, and what it would be wrong about if it spoke of more**',
    head: [
      'measured on',
      'the answer holds',
      'interval misses that',
      'interval misses what is true of the configurations',
      'verdict false of the configurations',
      'by the earlier code, without that scope: interval misses, false verdict',
    ],
    rows: scopeCases.map((one) => {
      const { missesClaim, missesConfigurations, falseOfConfigurations } = countScope(one, experiments);
      return [
        one.name,
        scopeWords(one.scope).on,
        rate(missesClaim),
        ...besideEarlier('scopes', one.name, [missesConfigurations, falseOfConfigurations]),
      ];
    }),
  };
}
