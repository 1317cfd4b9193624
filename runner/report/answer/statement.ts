import { excludesZero } from '../../statistics/exact-interval.ts';
import { againstControl } from '../../analysis/family.ts';
import { control } from '../../analysis/validity/comparison/control.ts';
import { checkById } from '../../analysis/validity/registry.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Start } from '../../contract/start.ts';
import type { EarlierStarts } from '../../contract/earlier-starts.ts';
import { type Level, levelSuffix } from '../../contract/trial.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { capitalise } from '../../contract/format.ts';
import { besideNote, conditionWords } from './beside-words.ts';
import { basisOf, describeChange, nameWords, scopeWordsOf } from './change-words.ts';
import { metricWords } from '../metric-words.ts';
import { disagreementWords, effectWords, isOfTypical } from './totals-words.ts';

/** The result for one candidate, in words. */
export interface Answer {
  candidate: string;
  /** null if there is nothing to compare, or if a check failed. */
  verdict: Comparison['verdict'];
  /** One sentence that can be quoted alone, without the figures of `evidence`. */
  headline: string;
  /** The figures behind the sentence, or why nothing is claimed. */
  evidence: string;
  /** What the answer cannot show. Many answers share it. */
  remains: string;
  /** null if nothing was compared. */
  of: Comparison | null;
  /** Why nothing is claimed; a phrase. Absent if something is. */
  why?: string;
  /** Whether only the typical block is known to be better or worse, and not the totals. @default false */
  isOfTypical?: boolean;
}

export interface AnswerContext {
  /** The metric that the answer is about: the declared one, or the one that was asked for. */
  metric: string;
  /** The smallest change that matters: relative, or a difference for shares; null if none was declared. */
  practicalThreshold: number | null;
  /** Candidates with the same configuration as the baseline. */
  controls: readonly string[];
  /** Whether a finished trial of a variant at a level has a value of the declared metric. */
  isMeasured?: (variant: string, level: Level) => boolean;
  /** Which start of its question the run is, if starts are counted. */
  start?: Start | undefined;
  /** What earlier starts of the same experiment found. */
  earlier?: readonly EarlierStarts[];
  /** Blocks that were measured again, and the reasons outside the servers, in words. */
  remeasured?: { blocks: readonly number[]; of: number; reasons: readonly string[] };
}

/** The answer to a comparison of the declared metric. */
export function stateVerdict(primary: Comparison, context: AnswerContext): Answer {
  const { change, verdict, withheld } = primary;
  const [candidate, baseline] = [nameWords(primary.candidate.variant), nameWords(primary.baseline.variant)];
  const { on, remains } = scopeWordsOf(primary);
  // Such as `in this run at 16 clients`.
  const where = `${on}${levelSuffix(primary.conditions)}`;
  const { label } = metricWords(primary);
  const basis = basisOf(primary);
  const say = (headline: string, evidence: string, why?: string): Answer => ({
    candidate: primary.candidate.variant,
    verdict: change === null ? null : verdict,
    headline,
    evidence,
    remains,
    of: primary,
    ...(why !== undefined && { why }),
  });

  if (change === null) {
    const why = whyNoChange(primary, context);
    return say(`No result ${where}: ${candidate} cannot be compared with ${baseline}.`, `${why}.`, why);
  }
  const observed = `Measured, but not a verdict: ${describeChange(primary, change, 'was')} (${basis}).`;
  if (verdict === null) {
    const [why = 'a check failed', ...besides] = withheld.map(({ message }) => message);
    return say(
      `Verdict withheld ${where} for ${candidate} vs ${baseline}: ${why}.`,
      [remedyFor(primary), ...besides.map((other) => `Also, ${other}.`), observed]
        .filter((part) => part !== '')
        .join(' '),
      why,
    );
  }
  if (verdict === 'descriptive') {
    const [why = 'the data do not support a verdict', ...besides] = withheld.map(({ message }) => message);
    return say(`No verdict ${where}: ${why}.`, [...besides.map((other) => `Also, ${other}.`), observed].join(' '), why);
  }

  const statement = describeChange(primary, change, 'is');
  const beside = besideNote(primary);
  if (context.controls.includes(primary.candidate.variant)) {
    const [headline, follows] = controlWords(primary, statement);
    return say(headline, `${label}: ${basis}.${follows}${beside}`);
  }
  const threshold = context.practicalThreshold;
  const { size } = changesOf(primary.metric);
  const control = controlNote(primary);
  switch (verdict) {
    case 'better':
    case 'worse': {
      const matters =
        threshold === null ? '' : ` The experiment treats changes below ${size(threshold)} as too small to matter.`;
      return {
        ...say(
          `${capitalise(on)}, ${conditionWords(primary)}${effectWords(primary, threshold)}.`,
          `${label}: ${basis}.${matters}${beside}${control}`,
        ),
        isOfTypical: isOfTypical(primary, threshold),
      };
    }
    case 'equivalent':
      return say(
        `${capitalise(where)}, ${candidate} and ${baseline} are equivalent${threshold === null ? '' : ` within ±${size(threshold)}`}.`,
        `${label}: the difference lies within ${threshold === null ? 'the declared bounds' : `±${size(threshold)}`} (${basis}).${typicalBlockPhrase(primary)}${beside}${control}`,
      );
    case 'inconclusive':
      if (primary.undecided === 'typical-and-total-disagree') {
        return say(
          `Inconclusive ${on}: ${disagreementWords(primary)}.`,
          `${label}: ${basis}. A verdict of better or worse needs both.${beside}${control}`,
        );
      }
      return say(
        `Inconclusive ${where}: the data neither show nor rule out a difference between ${candidate} and ${baseline}.`,
        `Best estimate: ${statement} (${basis}), but ${whyInconclusive(primary, threshold)}.${beside}${whatSettles(primary, control)}${control}`,
      );
  }
}

/** What to do about the first failed check that took the verdict away; empty if another version of pgduet made it. */
export function remedyFor({ withheld }: Comparison): string {
  return withheld.map(({ id }) => checkById(id)?.remedy).find((remedy) => remedy !== undefined) ?? '';
}

/** What a control says against the change; empty if nothing. */
export function controlNote({ checks }: Pick<Comparison, 'checks'>): string {
  return checks
    .filter(({ id, state }) => (id === control.id || id === againstControl.id) && state !== 'pass')
    .map(({ finding }) => ` Control: ${finding}.`)
    .join('');
}

/**
 * Names the side without a value, and what happened to its trials. If there are pairs, or trials that do not count have values,
 * no side can be named.
 */
function whyNoChange(comparison: Comparison, { isMeasured }: AnswerContext): string {
  const { label } = metricWords(comparison);
  const sides = [comparison.baseline, comparison.candidate];
  const without = sides.filter((side) =>
    // Runs that belong to no blocks count by themselves.
    comparison.scope === null ? side.n === 0 : isMeasured && !isMeasured(side.variant, comparison.conditions),
  );
  const [one, other] = without;
  const cause =
    comparison.unknownBlocks?.[0]?.why ?? (comparison.scope === null ? comparison.withheld[0]?.message : undefined);
  const because = cause === undefined ? '' : ` (${cause})`;
  if (one && other)
    return `Neither ${nameWords(one.variant)} nor ${nameWords(other.variant)} has a valid ${label} value${because}`;
  if (one) return `${nameWords(one.variant)} has no valid ${label} value${because}`;
  return sides.every(({ n }) => n > 0)
    ? `The ratio of these ${label} values is undefined`
    : `No block has valid ${label} values on both sides${because}`;
}

/** Headline of a control, and what follows from it: only one that comes out equivalent shows that equal variants come out equal. */
function controlWords(primary: Comparison, statement: string): [headline: string, follows: string] {
  const { verdict, interval, candidate, baseline, conditions } = primary;
  const { on } = scopeWordsOf(primary);
  const at = levelSuffix(conditions);
  const same = `${nameWords(candidate.variant)} has the same configuration as ${nameWords(baseline.variant)}`;
  switch (verdict) {
    case 'equivalent':
      return interval && excludesZero(interval)
        ? [
            `The control differs ${on}${at}, but by less than the threshold: ${same}, yet ${statement}.`,
            ' Another variant’s effect must exceed this.',
          ]
        : [`The control passes ${on}${at}: ${same}, and the two are equivalent.`, ''];
    case 'inconclusive':
      return [
        `The control is inconclusive ${on}${at}: ${same}, but the data do not show that the two are equivalent.`,
        ` Something other than the configuration may make that much of a difference in the other answers${at}, too.`,
      ];
    default:
      return [
        `The control fails ${on}: ${same}, yet ${statement}.`,
        ` Something other than the configuration differs, so the other answers${at} may be wrong, too.`,
      ];
  }
}

export function whyInconclusive(
  { undecided = 'interval-includes-zero', metric }: Comparison,
  threshold: number | null,
): string {
  switch (undecided) {
    case 'interval-includes-zero':
      return 'the interval includes zero';
    case 'typical-and-total-disagree':
      return 'the totals do not lie on the same side of zero';
    case 'totals-beyond-the-threshold':
      return `the totals may differ by more than ${threshold === null ? 'that' : changesOf(metric).size(threshold)}: a few trials are outliers`;
    case 'unknown-blocks':
      return 'the lost blocks could change the totals by any amount';
    case 'not-against-the-control':
      return 'a comparison with the control does not confirm it';
    case 'other-programs':
      return 'the CPU that other programs used can explain it, or hide more';
  }
}

/**
 * An effect that multiplies a share skews its differences, so their mean may be beyond the threshold (statistics.md,
 * what is compared how).
 */
function typicalBlockPhrase({ metric }: Comparison): string {
  const isByDifference = metricNamed(metric)?.compared === 'difference';
  return isByDifference
    ? ' This applies to the typical block. Blocks with many late transactions may differ by more.'
    : '';
}

/** @param control what a control says against the change; more blocks would not alter that */
function whatSettles({ blocksToSettle, beside }: Comparison, control: string): string {
  if (beside) return ' Stop them, then rerun.';
  if (blocksToSettle !== undefined) {
    return ` A run of about ${blocksToSettle} blocks has an even chance of a verdict, if its blocks vary like these.`;
  }
  return control === '' ? ' More blocks may produce a verdict; how many is unknown.' : '';
}
