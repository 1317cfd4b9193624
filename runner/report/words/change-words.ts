import { type Comparison, unitOf, unitWords } from '../../contract/comparison.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { changeSizes, metricWords } from './metric-words.ts';
import { absent, countInWords, levelPercent } from './quantities.ts';

/** Such as `the median latency is 31 % higher for a than for b at 16 clients`. */
export function describeChange(comparison: Comparison, change: number, is: 'is' | 'was'): string {
  const { metric, baseline, candidate } = comparison;
  const at = levelSuffix(comparison.conditions);
  const size = changeSize(metric, change);
  const [a, b] = [candidate.variant, baseline.variant];
  const name = nameInSentence(comparison);
  const { told } = metricNamed(metric) ?? {};
  if (size === null) return `the ${name} ${is} the same for ${a} and ${b}${at}`;
  if (told) return `${a} ${told[is]} ${size} ${change < 0 ? told.less : told.more} than ${b}${at}`;
  return `the ${name} ${is} ${size} ${change < 0 ? 'lower' : 'higher'} for ${a} than for ${b}${at}`;
}

/** Such as `31 %`, or `less than 0.1 %`; null if there is no change. */
function changeSize(metric: string, change: number): string | null {
  const size = changeSizes(metric).size(Math.abs(change));
  if (!/^0 /.test(size)) return size;
  return change === 0 || metricNamed(metric)?.kind === 'share' ? null : 'less than 0.1 %';
}

/** Such as `p99 latency of my-script`, or `share of transactions within the latency limit`. */
function nameInSentence(comparison: Comparison): string {
  const { label, kind } = metricWords(comparison);
  return metricNamed(comparison.metric)?.inSentence ?? (kind === 'share' ? `share of ${label}` : label);
}

function repeatsInWords(comparison: Comparison): string {
  const { baseline, candidate } = comparison;
  const unit = unitOf(comparison);
  if (baseline.n !== candidate.n) return `${baseline.n} against ${candidate.n} ${unitWords(unit, candidate.n)}`;
  return `${countInWords(baseline.n)} ${unitWords(unit, baseline.n)}${unit === 'run' ? ' a side' : ''}`;
}

/** The basis of a statement about a change: interval, level, and how often it was measured. */
export function basisOf(comparison: Comparison): string {
  const { interval } = comparison;
  return joinList([
    interval ? `interval ${changeSizes(comparison.metric).range(interval.low, interval.high)}` : '',
    interval ? `${levelPercent(interval.level)} level` : '',
    repeatsInWords(comparison),
  ]);
}

function joinList(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ') || absent;
}

/** What to do about a failed check, by the name of the check. */
const remedies: Record<string, string> = {
  'other programs': 'End them or use a dedicated machine, and measure again.',
  'driver’s processors': 'Use a larger driver or fewer clients, and measure again.',
  'client time': 'Give the load generator more threads or a larger machine, and measure again.',
  'backup, maintenance, storage': 'Choose hours without backups and maintenance, and measure again.',
  'restart or failover': 'Look for the reason in the server’s log, and measure again.',
  runner: 'Do not suspend pgduet, keep a processor of the machine free for it, and measure again.',
  'silent seconds': 'Look in the logs of server and storage for what stalled, and measure again.',
  'length of the trial':
    'Look in the logs of server and storage for what stalled. If connecting took the time, use fewer clients or longer trials. Then measure again.',
  'transaction log': 'Make room on the disk of the results, and measure again.',
  'size of the database': 'Load the data anew, and measure again.',
  'size and history of tables': 'Begin every trial with the same data (protocol.reset), and measure again.',
  'log volume': 'Deploy the variants anew, and measure again.',
  'checkpoint cycles': 'Apply one of the two remedies (docs/experiments.md), and measure again.',
  clock: 'Stop the program that sets this machine’s clock in steps, and measure again.',
  commits: 'Keep other clients off the database, and measure again.',
  control: 'Find out why the control differs from the baseline: the cause affects every variant.',
  work: 'Offer no more load than both sides can handle, and measure again.',
};

/** The remedy for a failed check; by default, that for a difference between the two sides. */
export function remedyOf(failure: string): string {
  const name = Object.keys(remedies).find((one) => failure.startsWith(one));
  return (name && remedies[name]) ?? 'Make both sides alike in this, or declare the difference, and measure again.';
}
