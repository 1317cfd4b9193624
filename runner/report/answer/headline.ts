import { type Comparison, unitOf, unitWords } from '../../contract/comparison.ts';
import { levelKey, levelWords } from '../../contract/trial.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { countInWords, list } from '../../contract/format.ts';
import { changeWords } from './answers.ts';
import { nameWords } from './change-words.ts';
import type { Answer } from './statement.ts';

/** How a headline says a verdict: of one name, of several, and of levels or a number without a name. The worst comes first. */
export const headlineForms = {
  'control-differs': ['the control differs: WHO', 'controls differ: WHO', 'the control differs WHO'],
  worse: ['WHO is worse', 'WHO are worse', 'worse WHO'],
  'worse-beside-others': [
    'WHO is worse beside other programs',
    'WHO are worse beside other programs',
    'worse beside other programs WHO',
  ],
  'not-concluded': ['verdict withheld for WHO', 'verdict withheld for WHO', 'verdict withheld WHO'],
  'no-verdict': ['WHO has no verdict', 'WHO have no verdict', 'no verdict WHO'],
  inconclusive: ['WHO is inconclusive', 'WHO are inconclusive', 'inconclusive WHO'],
  equivalent: ['WHO is equivalent', 'WHO are equivalent', 'equivalent WHO'],
  'better-beside-others': [
    'WHO is better beside other programs',
    'WHO are better beside other programs',
    'better beside other programs WHO',
  ],
  better: ['WHO is better', 'WHO are better', 'better WHO'],
} as const;

type Standing = keyof typeof headlineForms;

/** An answer to a comparison. */
export type PrimaryAnswer = Answer & { of: Comparison };

/** What a headline says of one candidate at one level. */
export interface Headlined {
  of: Comparison;
  standing: Standing;
  /** Why nothing is claimed; null if something is. */
  why: string | null;
  isOfTypical: boolean;
}

/** Those of which a headline says the same, the worst change first. */
type Group = Pick<Headlined, 'standing' | 'why'> & { some: Headlined[] };

/** @param isControl whether the candidate has the same configuration as the baseline */
export function headlined({ of, why, isOfTypical = false }: PrimaryAnswer, isControl: boolean): Headlined {
  const standing = standingOf(of, isControl);
  const isClaimed = standing !== 'not-concluded' && standing !== 'no-verdict';
  return { of, standing, why: isClaimed ? null : (why ?? null), isOfTypical };
}

/** What decides, and what tells whether it may be relied on. */
export interface Judged {
  /** The answers of a run that decide: those of controls only if there are no others. */
  judged: Headlined[];
  controls: Headlined[];
}

/** @param controls names of candidates with the same configuration as the baseline */
export function judgedAmong(answers: readonly Answer[], controls: readonly string[]): Judged {
  const items = answers
    .filter((answer): answer is PrimaryAnswer => answer.of?.primary === true)
    .map((answer) => headlined(answer, controls.includes(answer.candidate)));
  const candidates = items.filter(({ of }) => !controls.includes(of.candidate.variant));
  if (candidates.length === 0) return { judged: items, controls: [] };
  return { judged: candidates, controls: items.filter((item) => !candidates.includes(item)) };
}

/** Whether a control differs from its baseline, so that every other change may be wrong, too. */
export function isDoubted({ controls }: Pick<Judged, 'controls'>): boolean {
  return controls.some(({ standing }) => standing === 'control-differs');
}

function standingOf({ verdict, change, beside }: Comparison, isControl: boolean): Standing {
  if (verdict === null || change === null) return 'not-concluded';
  if (verdict === 'descriptive') return 'no-verdict';
  if (verdict !== 'better' && verdict !== 'worse') return verdict;
  if (isControl) return 'control-differs';
  return beside?.isCondition ? `${verdict}-beside-others` : verdict;
}

/** The best first; those without a change last. */
export function ranked(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.toSorted((a, b) => gainOf(b) - gainOf(a));
}

/** The change, positive if it is for the better. */
function gainOf({ change, better }: Comparison): number {
  return change === null ? -Infinity : better === 'higher' ? change : -change;
}

function groupsOf(all: readonly Headlined[]): Group[] {
  const sorted = all.toSorted((a, b) => gainOf(a.of) - gainOf(b.of));
  return (Object.keys(headlineForms) as Standing[]).flatMap((standing) => {
    const own = sorted.filter((one) => one.standing === standing);
    const reasons = new Set(own.map(({ why }) => why));
    return [...reasons].map((why) => ({ standing, why, some: own.filter((one) => one.why === why) }));
  });
}

/** A longer headline leaves out reasons, and then only counts, and names the worst and the best. */
const maxLength = 240;

/**
 * One sentence over several answers: each with its verdict, and with its size if something is claimed; the worst first.
 *
 * @param on what they hold for, such as `In this run`
 */
export function headlineOf(all: readonly Headlined[], on: string): string {
  const groups = groupsOf(all);
  const [first] = groups;
  const isWithout = groups.every(({ standing, why }) => standing === first?.standing && why !== null);
  if (first && isWithout) return withoutVerdict(groups, first, all);
  const isNamed = namesIn(all).length > 1 || first?.standing === 'control-differs';
  const [baseline = '', ...others] = new Set(all.map(({ of }) => nameWords(of.baseline.variant)));
  const against = `against ${others.length === 0 ? baseline : 'the baseline of each group'}`;
  const clausesOf = (some: readonly Group[]): string =>
    some.map((group) => clause(group, whoWords(group.some, all, isNamed), isNamed)).join('; ');
  const start = `${on}, ${isNamed ? '' : `${namesIn(all).map(nameWords).join('')} `}${against}`;
  const brief = groupsOf(all.map((one) => ({ ...one, why: null })));
  const longer = [groups, brief].map((some) => `${start}: ${clausesOf(some)}.`);
  const counts = brief.map((group) => clause(group, `in ${countOf(group)}`, false)).join('; ');
  return (
    longer.find(({ length }) => length <= maxLength) ??
    `${on}, of ${countInWords(all.length)} ${comparedWord(all)} ${against}: ${counts}.`
  );
}

function withoutVerdict(groups: readonly Group[], first: Group, all: readonly Headlined[]): string {
  const start = first.standing === 'no-verdict' ? 'No verdict' : 'Verdict withheld';
  const many = `${start} for ${all.length === 2 ? 'either' : 'any'} of the ${countInWords(all.length)} ${comparedWord(all)}`;
  if (groups.length === 1) return `${many}: ${first.why}.`;
  const whole = `${many}: ${groups.map(({ why, some }) => `${why} (${whoWords(some, all, namesIn(all).length > 1)})`).join('; ')}.`;
  if (whole.length <= maxLength) return whole;
  return `${many}: ${first.why} (${first.some.length} of them), and ${countInWords(groups.length - 1)} other ${groups.length === 2 ? 'reason' : 'reasons'}.`;
}

function clause({ standing, why, some }: Group, who: string, isNamed: boolean): string {
  const form = headlineForms[standing][isNamed ? (namesIn(some).length === 1 ? 0 : 1) : 2];
  // By a function: a name may hold what means something in a replacement.
  return `${form.replace('WHO', () => who)}${why === null ? '' : `: ${why}`}`;
}

/** Such as `slow at both load levels (50% to 52% slower) and slower at 4 clients (60% slower)`. */
function whoWords(some: readonly Headlined[], all: readonly Headlined[], isNamed: boolean): string {
  const words = namesIn(some).map((name) => {
    const [own = [], every = []] = [some, all].map((of) => of.filter((one) => one.of.candidate.variant === name));
    const levels = own.map(({ of }) => levelWords(of.conditions));
    const isAll = own.length === every.length;
    const allLevels = own.length === 2 ? 'at both load levels' : `at all ${countInWords(own.length)} load levels`;
    const sorted = levels.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    const at = every.length === 1 ? '' : isAll ? allLevels : `at ${list(sorted)}`;
    return [isNamed ? nameWords(name) : '', at, sizeOf(own)].filter((text) => text !== '').join(' ');
  });
  return list(words);
}

/** Such as `40 (worst: slow at 64 clients (60% slower))`. */
function countOf({ standing, some }: Group): string {
  const isBetter = standing === 'better' || standing === 'better-beside-others';
  const extreme = isBetter ? some.at(-1) : some[0];
  const isNamed = extreme && (isBetter || ['control-differs', 'worse', 'worse-beside-others'].includes(standing));
  const label = isBetter ? 'best' : 'worst';
  return `${some.length}${isNamed ? ` (${label}: ${nameOf(extreme)} ${sizeOf([extreme])})` : ''}`;
}

/** Such as `(50% to 52% slower)`, or `(−0.2% to +1.0%)` if no direction is claimed; empty if nothing is. */
function sizeOf(some: readonly Headlined[]): string {
  const [first] = some;
  if (!first || first.standing === 'not-concluded' || first.standing === 'no-verdict') return '';
  const { metric } = first.of;
  const changes = some.map(({ of }) => of.change ?? 0).toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [changes[0], changes.at(-1)];
  const isSplit = some.some(({ of }) => of.undecided === 'typical-and-total-disagree');
  const unit = `in a typical ${unitWords(unitOf(first.of), 1)}`;
  const typical = isSplit
    ? ` ${unit}, but totals disagree`
    : some.some(({ isOfTypical }) => isOfTypical)
      ? ` ${unit}`
      : '';
  if (low * high <= 0 || first.standing === 'inconclusive' || first.standing === 'equivalent') {
    const [from, to] = [low, high].map((change) => changeWords(first.of, change));
    return `(${from === to ? from : `${from} to ${to}`}${typical})`;
  }
  const { than } = changesOf(metric, low < 0 ? low : high);
  return `(${than(low, metricNamed(metric)?.changePhrase, high)}${typical})`;
}

/** Such as `fast at 16 clients`. */
export function nameOf({ of: { candidate, conditions } }: Pick<Headlined, 'of'>): string {
  const level = levelWords(conditions);
  const name = nameWords(candidate.variant);
  return level === '' ? name : `${name} at ${level}`;
}

function comparedWord(all: readonly Headlined[]): string {
  const levels = new Set(all.map(({ of }) => levelKey(of.conditions))).size;
  return namesIn(all).length === 1 ? 'levels' : levels === 1 ? 'candidates' : 'comparisons';
}

function namesIn(some: readonly Headlined[]): string[] {
  return [...new Set(some.map(({ of }) => of.candidate.variant))];
}
