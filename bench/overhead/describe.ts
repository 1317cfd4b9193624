import { markdownOf } from '../statistics/table.ts';
import { type Arm, isNarrow, obstacles, type Ratio, ratioOf, type Round } from './judge.ts';
import { type Quiet, noiseWarnings } from './machine.ts';

export interface Overhead {
  place: string;
  /** The load in words. */
  workload: string;
  seconds: number;
  arms: readonly Arm[];
  collectors: { on: readonly string[]; off: readonly string[] };
  rounds: readonly Round[];
  machine: Quiet;
}

/** What was found, in Markdown, and its verdict at the end. */
export function describeOverhead({ place, workload, seconds, arms, collectors, rounds, machine }: Overhead): string {
  const compared: [Ratio['what'], Arm, Arm][] = [
    ['tps', 'on', 'off'],
    ['tps', 'on', 'plain'],
    ['tps', 'off', 'plain'],
    ['tps', 'on', 'no-log'],
    ['p99Seconds', 'on', 'off'],
    ['p99Seconds', 'on', 'plain'],
  ];
  const ratios = compared.filter(([, , under]) => arms.includes(under)).map((one) => ratioOf(rounds, ...one));
  const wide = ratios.filter((ratio) => ratio.what === 'tps' && ratio.over === 'on' && !isNarrow(ratio));
  const why = obstacles(rounds);
  return [
    `${place}: ${workload}; ${rounds.length} rounds of ${arms.join(', ')}, ${seconds} s each.`,
    `on: ${collectors.on.join(', ')}. off: ${collectors.off.join(', ')}. Every arm but no-log writes a log of every transaction.`,
    markdownOf({
      title: 'Ratios by round:',
      head: ['ratio', 'estimate', 'interval', 'level', 'rounds'],
      rows: ratios.map(cells),
    }),
    `Load average of a minute: ${machine.loadBefore.toFixed(2)} before, ${machine.loadAfter.toFixed(2)} after.`,
    ...noiseWarnings(machine).map((warning) => `Warning: ${warning}`),
    ...(wide.length > 0 ? [`Wider than one percent either way: ${wide.map(nameOf).join(', ')}.`] : []),
    why.length > 0 ? `not shown: ${why.join(' ')}` : 'shown: collecting evidence costs (almost) nothing here.',
  ].join('\n\n');
}

function cells(ratio: Ratio): string[] {
  const { interval, rounds } = ratio;
  return [
    nameOf(ratio),
    ratio.ratio?.toFixed(4) ?? '–',
    interval ? `${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}` : '–',
    interval ? `${(interval.level * 100).toFixed(1)}%` : '–',
    String(rounds),
  ];
}

function nameOf({ what, over, under }: Ratio): string {
  return `${what === 'tps' ? 'throughput' : 'p99 latency'} ${over}/${under}`;
}
