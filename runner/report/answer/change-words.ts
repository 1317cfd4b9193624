import {
  type Comparison,
  leavesOutCrossovers,
  replicasOf,
  type Scope,
  unitOf,
  unitWords,
} from '../../contract/comparison.ts';
import type { EarlierStarts } from '../../contract/earlier-starts.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import type { Interval } from '../../statistics/exact-interval.ts';
import { absent, countInWords, levelPercent, nounFor } from '../../contract/format.ts';
import { metricWords } from '../metric-words.ts';

/** What an answer holds for, in the words of its sentence, and what it cannot show. */
export interface ScopeWords {
  /** Such as `in this run` (its servers made, loaded and measured once) or `on these instances`. */
  on: string;
  /** A sentence. */
  remains: string;
}

const words: Record<Scope, ScopeWords> = {
  'this-machine': {
    on: 'in this run',
    remains:
      'A rerun, with new servers and newly loaded data, may differ more than these blocks do. Not tested: other machines, RDS.',
  },
  'one-server': {
    on: 'on this server',
    remains:
      'The variants are databases of one server, so each may meet what another left there. Not tested: another run with reloaded data, other servers.',
  },
  'these-servers': {
    on: 'on these servers',
    remains:
      'Differences between machines, disks or other data on them could cause this effect, too. To see how large they are, measure both with equal settings. Not tested: another run with reloaded data.',
  },
  'these-instances': {
    on: 'on these instances',
    remains:
      'Differences between hosts or volumes could cause this effect, too; a crossover or replicas would rule that out. Not tested: another run with reloaded data.',
  },
  'hosts-cancelled': {
    on: 'on these instances, with host differences cancelled out',
    remains:
      'Each instance ran every variant in turn. The interval stays valid even if a host changed once during the run. Two limits remain: few log volumes were tested, and carry-over between variants does not cancel out.',
  },
  configurations: {
    on: 'for these configurations',
    remains:
      'This treats the instance pairs as a sample of what RDS provides. Not tested: other times, Regions and sizes.',
  },
};

/** What a comparison holds for. */
export function scopeWordsOf(comparison: Comparison): ScopeWords {
  return scopeWords(comparison.scope, replicasOf(comparison), { hostsMayChange: leavesOutCrossovers(comparison) });
}

/**
 * @param scope null for runs about which nothing more is known
 * @param replicas pairs of instances
 * @param options.hostsMayChange for a crossover: whether its interval holds even if a host changes
 */
export function scopeWords(
  scope: Scope | null,
  replicas = 1,
  { hostsMayChange = false }: { hostsMayChange?: boolean } = {},
): ScopeWords {
  if (scope === null) return unknown;
  if (scope === 'hosts-cancelled' && !hostsMayChange) return oneCrossover;
  if (scope !== 'these-instances' || replicas === 1) return words[scope];
  return {
    on: `on these ${countInWords(replicas)} instance pairs`,
    remains: `These pairs are too few to represent RDS in general, so the result describes these pairs only.`,
  };
}

/** One exchange cannot separate a host that changed in mid-run from the variant (statistics.md, crossover). */
const oneCrossover: ScopeWords = {
  on: `${words['hosts-cancelled'].on}, assuming that neither host changed during the run`,
  remains:
    'Each instance ran both variants. Two limits remain: only one pair of log volumes was tested, and carry-over from the first half does not cancel out.',
};

const unknown: ScopeWords = {
  on: 'in these runs',
  remains: `For a verdict, measure both in one experiment: \`${ownCommand} init NAME\` writes its file, and \`${ownCommand} load-run NAME --local\` measures it in a random order.`,
};

/** The name of a variant in a sentence: in quotation marks where it could be read as a word of the sentence, such as “off”. */
export function nameWords(variant: string): string {
  return /^\p{L}+$/u.test(variant) ? `“${variant}”` : variant;
}

/** Such as `the median latency is 31% higher for a than for b at 16 clients`. */
export function describeChange(comparison: Comparison, change: number, is: 'is' | 'was'): string {
  const { metric, baseline, candidate } = comparison;
  const at = levelSuffix(comparison.conditions);
  const [a, b] = [nameWords(candidate.variant), nameWords(baseline.variant)];
  const name = nameInSentence(comparison);
  const { changePhrase } = metricNamed(metric) ?? {};
  if (change === 0) return `the ${name} ${is} the same with ${a} and ${b}${at}`;
  const { than, isMultiple } = changesOf(metric, change);
  const against = isMultiple ? 'as' : 'than';
  return changePhrase
    ? `${a} ${changePhrase[is]} ${than(change, changePhrase)} ${against} ${b}${at}`
    : `the ${name} ${is} ${than(change)} with ${a} ${against} with ${b}${at}`;
}

/** Such as `p99 latency of my-script`, or `share of transactions within the latency limit`. */
export function nameInSentence(comparison: Comparison): string {
  const { label, kind } = metricWords(comparison);
  return metricNamed(comparison.metric)?.inSentence ?? (kind === 'share' ? `share of ${label}` : label);
}

function repeatsInWords(comparison: Comparison): string {
  const { baseline, candidate } = comparison;
  const unit = unitOf(comparison);
  if (baseline.n !== candidate.n) return `${baseline.n} vs ${candidate.n} ${unitWords(unit, candidate.n)}`;
  return `${countInWords(baseline.n)} ${unitWords(unit, baseline.n)}${unit === 'run' ? ' per side' : ''}`;
}

/** The basis of a statement about a change: interval, confidence, and how often it was measured. */
export function basisOf(comparison: Comparison): string {
  const { interval, metric, change } = comparison;
  return joinList([
    interval ? `interval ${changesOf(metric, change).range(interval.low, interval.high)}` : '',
    interval ? `${levelPercent(interval.level)} confidence` : '',
    repeatsInWords(comparison),
  ]);
}

function joinList(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ') || absent;
}

/** Earlier runs that are shown one by one. */
const maxShown = 6;
/** Below this chance, the text says that runs differ by more than their blocks explain. */
const seldom = 0.05;

/**
 * What earlier starts found, such as `Earlier runs here: 88, 94, 91%; prediction for the next run: 88% to 94% (60% confidence, from four
 * runs).`
 *
 * @param own comparison of this run
 */
export function earlierWords(
  { starts, leftOut, next, chance }: EarlierStarts,
  { metric, change: own, interval }: Pick<Comparison, 'metric' | 'change' | 'interval'>,
): string {
  const { range, list } = changesOf(metric, own);
  const changes = starts.map(({ change }) => change);
  const shown =
    starts.length > maxShown
      ? `Last ${countInWords(maxShown)} of ${starts.length} earlier runs here`
      : `Earlier ${nounFor(starts.length, 'run')} here`;
  const expected = next
    ? `; prediction for the next run: ${range(next.low, next.high)} (${levelPercent(next.level)} confidence, from ${countInWords(next.count)} runs)`
    : '';
  return [
    ...(changes.length > 0 ? [`${shown}: ${list(changes.slice(-maxShown))}${expected}.`] : []),
    ...(leftOut ? [leftOutWords(leftOut, changes.length)] : []),
    ...holding(changes, interval),
    ...(chance !== null && chance < seldom
      ? [
          `Runs differ by more than their blocks explain: block variation alone would spread them this far in ${chance < 0.001 ? 'less than 0.1%' : levelPercent(chance)} of cases.`,
        ]
      : []),
  ].join(' ');
}

function leftOutWords({ earlier, own }: NonNullable<EarlierStarts['leftOut']>, counted: number): string {
  const left = earlier + (own ? 1 : 0);
  const [includes, does, it] = [own ? ', this one included,' : '', ...(left === 1 ? ['is', 'it'] : ['are', 'they'])];
  return `${left} of ${counted + earlier + 1} runs${includes} ${does} excluded, because ${it} lost blocks.`;
}

/** Only for a misfit: an interval need not contain the estimates of other runs. */
function holding(changes: readonly number[], interval: Interval | null): string[] {
  if (!interval || changes.length === 0 || changes.some((change) => interval.low <= change && change <= interval.high))
    return [];
  return [
    `This run’s interval ${changes.length === 1 ? 'does not contain it' : `contains none of the ${countInWords(changes.length)}`}.`,
  ];
}
