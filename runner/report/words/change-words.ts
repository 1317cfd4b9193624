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

/** What a statement of a change rests on: interval, level, and how often it was measured. */
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

/** What to do about a check that failed, by its name: one sentence each. */
const remedies: Record<string, string> = {
  'other programs': 'End them, or take a machine of its own, and measure again.',
  'driver’s processors': 'Take a larger driver or fewer clients, and measure again.',
  'client time': 'Give the load generator more threads or a larger machine, and measure again.',
  'backup, maintenance, storage': 'Choose hours without backups and maintenance, and measure again.',
  'restart or failover': 'Look into the server’s log for the reason, and measure again.',
  runner: 'Let pgduet run without being stopped, on a machine with a processor to spare for it, and measure again.',
  'silent seconds': 'Look into the logs of server and storage for what stood still, and measure again.',
  'length of the trial':
    'Look into the logs of server and storage for what stood still, or where connecting took the time, take fewer clients or longer trials, and measure again.',
  'transaction log': 'Make room on the disk of the results, and measure again.',
  'size of the database': 'Load the data anew, and measure again.',
  'size and history of tables': 'Begin every trial with the same data (protocol.reset), and measure again.',
  'log volume': 'Deploy the variants anew, and measure again.',
  'checkpoint cycles': 'Do one of the two (docs/experiments.md), and measure again.',
  clock: 'Stop what sets this machine’s clock in steps, and measure again.',
  commits: 'Keep others off the database, and measure again.',
  control: 'Find out what sets the control apart from the baseline: the same acts on every variant.',
  work: 'Offer no more than both sides can do, and measure again.',
};

/** The remedy for a failed check; without one of its own, that for a difference between the two sides. */
export function remedyOf(failure: string): string {
  const name = Object.keys(remedies).find((one) => failure.startsWith(one));
  return (name && remedies[name]) ?? 'Make both sides alike in this, or declare the difference, and measure again.';
}
