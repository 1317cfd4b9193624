import type { ExplainedLink, ExplainedMechanism, Explanation } from '../../contract/explanation.ts';
import type { Result } from '../../contract/result.ts';
import { atLevel } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { metricScale } from '../words/metric-words.ts';
import { absent, inScale, percent, percentRange, type Scale, scaleFor, signedPercent } from '../words/quantities.ts';
import { left, right, type Table } from './table.ts';

/** Why one candidate is faster or slower, in words and with the chain of each mechanism. */
export interface Why {
  title: string;
  /** One for each mechanism, the one that explains most first. */
  mechanisms: { headline: string; evidence: string; chain: Table; links: { claim: string; figures: string }[] }[];
  /** What speaks of no mechanism; null if there is one. */
  nothing: string | null;
}

export function whyOf({ explanations = [] }: Pick<Result, 'explanations'>): Why[] {
  return explanations.map((explanation) => ({
    title: titleOf(explanation),
    mechanisms: explanation.mechanisms.map((mechanism) => ({
      headline: headlineOf(mechanism),
      evidence: evidenceOf(mechanism, explanation),
      chain: chainOf(mechanism, explanation),
      links: spoken(mechanism).map((link) => ({ claim: link.claim, figures: figuresOf(link) })),
    })),
    nothing: explanation.mechanisms.length > 0 ? null : nothingFound,
  }));
}

const nothingFound =
  'What was collected carries none of the mechanisms that pgduet knows. The tables of evidence show what else differs.';

function titleOf({ slower, conditions }: Explanation): string {
  return `Why ${slower} is slower${atLevel(conditions)}`;
}

function headlineOf({ standing, title }: ExplainedMechanism): string {
  switch (standing) {
    case 'supported':
      return `${title}.`;
    case 'fits':
      return `Perhaps: ${lowerFirst(title)}.`;
    case 'contradicted':
      return `Not because ${lowerFirst(title)}.`;
  }
}

function evidenceOf(mechanism: ExplainedMechanism, { slower }: Explanation): string {
  const { standing, accountsFor, interval } = mechanism;
  if (standing === 'contradicted') return `${slower} loses less time this way than the faster variant.`;
  const range = interval === null ? '' : ` (${rangeOf(interval)})`;
  // More than all of it: the slower variant gains elsewhere what it loses here.
  const share = (accountsFor ?? 0) >= 1.05 ? 'more than all' : percent(Math.min(1, accountsFor ?? 0));
  return `The time of a transaction that may be lost this way is ${share}${range} of what ${slower} takes longer. ${
    standing === 'supported'
      ? 'It moves with the effect across the blocks.'
      : 'It fits, but the blocks leave open whether it is chance.'
  }`;
}

function rangeOf({ low, high }: { low: number; high: number }): string {
  if (low >= 1) return 'all of it';
  return high < 1 ? percentRange(Math.max(0, low), high) : `${percent(Math.max(0, low))} to all of it`;
}

/** The chain from the cause to the effect; links without values or change are left out. */
function chainOf({ title, links, sources }: ExplainedMechanism, { baseline, candidate }: Explanation): Table {
  return {
    title,
    columns: [
      left('from cause to effect'),
      right(baseline),
      right(candidate),
      right('change', 3),
      right('interval of change', 2),
      right('blocks', 1),
      left(''),
    ],
    rows: spoken({ links }).map((link) => ({
      cells: cellsOf(link),
      emphasis: link.standing === 'contradicted' ? 'muted' : undefined,
    })),
    // A page asks nothing of the network, and says so of every address.
    notes: [`Described in: ${sources.map((source) => source.replace(/^https:\/\//, '')).join(', ')}.`],
  };
}

function spoken({ links }: Pick<ExplainedMechanism, 'links'>): ExplainedLink[] {
  return links.filter(({ standing }) => standing !== 'silent');
}

/** Both values and the change in a line, where a table would be too wide. */
function figuresOf(link: ExplainedLink): string {
  const [, baseline = '', candidate = '', change = '', interval = '', blocks = '', standing = ''] = cellsOf(link);
  return `${labelOf(link)} ${baseline} against ${candidate}: ${change} (${interval}), in ${blocks} blocks, ${standing}`;
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
  const { claim, baseline, candidate, change, changedBy, interval, agreeing, pairs, standing } = link;
  const scale = scaleOf(link);
  const changed = changeIn(changedBy, scale);
  return [
    `${claim}: ${labelOf(link)}`,
    inScale(baseline, scale),
    inScale(candidate, scale),
    change === null ? absent : changed(change),
    interval === null ? absent : `${changed(interval.low)} to ${changed(interval.high)}`,
    `${agreeing} of ${pairs}`,
    standing,
  ];
}

/** A relative change as percent, a difference in the unit of the values. */
function changeIn(changedBy: ExplainedLink['changedBy'], scale: Scale): (change: number) => string {
  if (changedBy === 'ratio') return signedPercent;
  return (change) => {
    const fine = { ...scale, decimals: Math.max(scale.decimals, scaleFor('rate', [change / scale.divisor]).decimals) };
    const text = inScale(change, { ...fine, decimals: Math.min(fine.decimals, scale.decimals + 1) });
    return change > 0 ? `+${text}` : text;
  };
}

function lowerFirst(text: string): string {
  return /^[A-Z][A-Z]/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
