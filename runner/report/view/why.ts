import type { ExplainedLink, ExplainedMechanism, ExplainedTime, Explanation } from '../../contract/explanation.ts';
import type { Result } from '../../contract/result.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { metricScale } from '../words/metric-words.ts';
import { absent, capitalise, inScale, percent, type Scale, scaleFor, signedPercent } from '../words/quantities.ts';
import { left, right, type Table } from './table.ts';

/** Where the time of a transaction goes, in words and tables. */
export interface Why {
  title: string;
  /** How long a transaction takes on both sides, or why that is not known. */
  summary: string;
  /** The kinds of time; without rows if they are not known. */
  time: Table;
  /** The one with the largest part of the difference first. */
  mechanisms: { headline: string; evidence: string; chain: Table; links: { claim: string; figures: string }[] }[];
}

export function whyOf({ explanations = [] }: Pick<Result, 'explanations'>): Why[] {
  return explanations.map((explanation) => ({
    title: titleOf(explanation),
    summary: summaryOf(explanation),
    time: timeTable(explanation),
    mechanisms: explanation.mechanisms.map((mechanism) => ({
      headline: `${mechanism.title}.`,
      evidence: evidenceOf(mechanism, explanation),
      chain: chainOf(mechanism, explanation),
      links: mechanism.links.map((link) => ({ claim: link.claim, figures: figuresOf(link) })),
    })),
  }));
}

function titleOf({ baseline, candidate, conditions }: Explanation): string {
  return `Where the time goes: ${candidate} against ${baseline}${levelSuffix(conditions)}`;
}

function summaryOf(explanation: Explanation): string {
  const { baseline, candidate, slower, time, mechanisms } = explanation;
  if (time.length === 0) {
    return `The sessions of ${baseline} and ${candidate} were not sampled in enough blocks to break down the time of a transaction.`;
  }
  const whole = wholeOf(time);
  const scale = timeScale(explanation);
  const both = `A transaction takes ${inUnit(whole.baseline, scale)} with ${baseline} and ${inUnit(whole.candidate, scale)} with ${candidate}`;
  if (time.every(({ share }) => share === null)) {
    return `${both}. The difference is not beyond chance (${pairsIn(explanation)}), so there is nothing to break down.`;
  }
  const none = mechanisms.length === 0 ? ' No kind of time grows, beyond chance, by at least a tenth of that.' : '';
  return `${both}, ${inUnit(Math.abs(whole.change), scale)} longer for ${slower}.${none}`;
}

/** Such as `12 pairs, 1 more unknown`: how many pairs the means cover, and how many they leave out. */
function pairsIn({ pairs, unknownPairs = 0 }: Explanation): string {
  return `${pairs} pairs${unknownPairs > 0 ? `, ${unknownPairs} more unknown` : ''}`;
}

function wholeOf(time: readonly ExplainedTime[]): Pick<ExplainedTime, 'baseline' | 'candidate' | 'change'> {
  const sum = (of: (one: ExplainedTime) => number): number => time.reduce((total, one) => total + of(one), 0);
  return {
    baseline: sum((one) => one.baseline),
    candidate: sum((one) => one.candidate),
    change: sum((one) => one.change),
  };
}

/** One scale for all kinds, so that the rows add up as they are printed. */
function timeScale({ time }: Explanation): Scale {
  const whole = wholeOf(time);
  return scaleFor('latency', [whole.baseline, whole.candidate, whole.change, ...time.map(({ change }) => change)]);
}

function timeTable(explanation: Explanation): Table {
  const { time, baseline, candidate, conditions } = explanation;
  const scale = timeScale(explanation);
  const changed = changeIn('difference', scale);
  const row = (title: string, { interval, share, ...one }: Omit<ExplainedTime, 'kind' | 'title'>): string[] => [
    title,
    inScale(one.baseline, scale),
    inScale(one.candidate, scale),
    changed(one.change),
    interval === null ? absent : `${changed(interval.low)} to ${changed(interval.high)}`,
    share === null ? absent : percent(share),
  ];
  return {
    title: `Time of a transaction${levelSuffix(conditions)}`,
    columns: [
      left(`a transaction (${scale.unit})`),
      right(baseline),
      right(candidate),
      right('change', 3),
      right('interval of change', 2),
      right('share of the difference', 1),
    ],
    rows:
      time.length === 0
        ? []
        : [
            ...time.map((one) => ({ cells: row(one.title, one) })),
            { cells: row('in all', { ...wholeOf(time), interval: null, share: null }), emphasis: 'strong' as const },
          ],
    notes: [
      `Means over ${pairsIn(explanation)}. Each time is the average number of sessions in that state divided by transactions per second, so the kinds add up to a whole transaction.`,
    ],
  };
}

function evidenceOf({ kind }: ExplainedMechanism, explanation: Explanation): string {
  const { slower, candidate, time } = explanation;
  const found = time.find((one) => one.kind === kind);
  if (!found) throw new Error(`no time of ${kind} in the explanation`);
  const scale = timeScale(explanation);
  const [slow, fast] = slower === candidate ? [found.candidate, found.baseline] : [found.baseline, found.candidate];
  const share = percent(found.share ?? 0);
  return `${capitalise(found.title)}: ${inUnit(slow, scale)} against ${inUnit(fast, scale)}, ${share} of the difference (${pairsIn(explanation)}; observed, not tested).`;
}

/** The chain from a cause to the kind of time in which it ends. */
function chainOf({ title, links, sources }: ExplainedMechanism, { baseline, candidate }: Explanation): Table {
  return {
    title,
    columns: [
      left('from cause to effect'),
      right(baseline),
      right(candidate),
      right('change', 3),
      right('interval of change', 2),
      right('pairs', 1),
    ],
    rows: links.map((link) => ({ cells: cellsOf(link) })),
    // Without https://: a page loads nothing from the network, and a test looks for addresses in it.
    notes: [`Described in: ${sources.map((source) => source.replace(/^https:\/\//, '')).join(', ')}.`],
  };
}

/** Both values and the change in a line, for where a table would be too wide. */
function figuresOf(link: ExplainedLink): string {
  const [, baseline = '', candidate = '', change = '', interval = '', pairs = ''] = cellsOf(link);
  const changed = link.change === null ? '' : `: ${change} (${interval})`;
  return `${labelOf(link)} ${baseline} against ${candidate}${changed}, in ${pairs} pairs`;
}

function scaleOf({ metric, baseline, candidate }: ExplainedLink): Scale {
  return metricScale(metric, metricNamed(metric)?.kind ?? 'rate', [baseline, candidate]);
}

/** The metric in words, with the unit in which its values are shown. */
function labelOf(link: ExplainedLink): string {
  const { unit } = scaleOf(link);
  return `${metricNamed(link.metric)?.label ?? link.metric}${unit === '' ? '' : ` (${unit})`}`;
}

function cellsOf(link: ExplainedLink): string[] {
  const { claim, baseline, candidate, change, changedBy, interval, agreeing, pairs } = link;
  const scale = scaleOf(link);
  const changed = changeIn(changedBy, scale);
  return [
    `${claim}: ${labelOf(link)}`,
    inScale(baseline, scale),
    inScale(candidate, scale),
    change === null ? absent : changed(change),
    interval === null ? absent : `${changed(interval.low)} to ${changed(interval.high)}`,
    `${agreeing} of ${pairs}`,
  ];
}

/** A relative change in percent; a difference in the unit of the values, with their digits. */
function changeIn(changedBy: ExplainedLink['changedBy'], scale: Scale): (change: number) => string {
  if (changedBy === 'ratio') return signedPercent;
  return (change) => {
    const text = inScale(change, scale);
    return change > 0 && /[1-9]/.test(text) ? `+${text}` : text;
  };
}

function inUnit(value: number, scale: Scale): string {
  return scale.unit === '' ? inScale(value, scale) : `${inScale(value, scale)} ${scale.unit}`;
}
