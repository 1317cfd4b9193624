import type { SectionBlock, Section } from './section.ts';
import type { ExplainedLink, ExplainedMechanism, ExplainedTime, Explanation } from '../../contract/explanation.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { absent, formatDecimal, inScale, type Scale } from '../../contract/format.ts';
import { ratioFormat } from '../../contract/format-change.ts';
import { metricScale } from '../metric-words.ts';
import { left, right, type Table } from '../media/table.ts';
import { largestPart, pairsIn, shareCell, timeScale, wholeOf, whyParagraph } from './why-words.ts';

/** The same in words. */
export const whySection: Section = {
  id: 'why',
  blocks: ({ result: { explanations = [], distributions = [] } }) =>
    explanations.map((explanation) => ({
      title: `Where the time goes: ${pairOf(explanation)}`,
      summary: largestPart(explanation) || 'no component changed beyond noise',
      parts: [{ kind: 'paragraph', text: whyParagraph(explanation, distributions) }],
    })),
};

/** All figures of the paragraph, and of what differs with them. */
export const whyTablesSection: Section = {
  id: 'why-in-figures',
  blocks: ({ result }) => (result.explanations ?? []).map(whyTables),
};

export function whyTables(explanation: Explanation): SectionBlock {
  const chains = explanation.mechanisms.map((mechanism) => chainOf(mechanism, explanation));
  const time = timeTable(explanation);
  return {
    title: `Time breakdown: ${pairOf(explanation)}`,
    parts: [
      { kind: 'table', table: time, heading: time.title },
      ...chains.map((table): SectionBlock['parts'][number] => ({
        kind: 'table',
        table,
        layout: 'texts',
        heading: table.title,
      })),
    ],
  };
}

function pairOf({ baseline, candidate, conditions }: Explanation): string {
  return `${candidate} vs ${baseline}${levelSuffix(conditions)}`;
}

function timeTable(explanation: Explanation): Table {
  const { time, baseline, candidate, workers } = explanation;
  const scale = timeScale(explanation);
  const changed = changeIn('difference', scale, null);
  const row = (title: string, { interval, share, ...one }: Omit<ExplainedTime, 'kind' | 'title'>): string[] => [
    title,
    inScale(one.baseline, scale),
    inScale(one.candidate, scale),
    changed(one.change),
    interval === null ? absent : `${changed(interval.low)} to ${changed(interval.high)}`,
    share === null ? absent : shareCell(share),
  ];
  return {
    title: 'Transaction time',
    columns: [
      left(`component (${scale.unit})`),
      right(baseline),
      right(candidate),
      right('change', 3),
      right('confidence interval', 2),
      right('share of the difference', 1),
    ],
    rows:
      time.length === 0
        ? []
        : [
            ...time.map((one) => ({ cells: row(one.title, one) })),
            {
              cells: row('total, client included', { ...wholeOf(time), interval: null, share: null }),
              emphasis: 'strong' as const,
            },
            ...(workers
              ? [
                  {
                    cells: [
                      'busy parallel workers, on average',
                      formatDecimal(workers.baseline, 1),
                      formatDecimal(workers.candidate, 1),
                      absent,
                      absent,
                      absent,
                    ],
                    emphasis: 'muted' as const,
                  },
                ]
              : []),
          ],
    notes: [
      `Means over ${pairsIn(explanation)}. Each time is the average number of sessions in that state divided by transactions per second, so the components add up to clients / TPS: a transaction with its client. Parallel workers add nothing to it. Average latency excludes what the client does between two transactions; client time per transaction is that alone.`,
    ],
  };
}

/** The chain from a cause to the kind of time in which it ends. */
function chainOf({ title, links, sources }: ExplainedMechanism, explanation: Explanation): Table {
  const { baseline, candidate, slower } = explanation;
  return {
    title: `${title} (${slower}): from cause to effect`,
    columns: [
      left('from cause to effect'),
      right(baseline),
      right(candidate),
      right('change', 3),
      right('confidence interval', 2),
      right('pairs', 1),
    ],
    rows: links.map((link) => ({ cells: cellsOf(link) })),
    // Without https://: a page loads nothing from the network, and a test looks for addresses in it.
    notes: [`Sources: ${sources.map((source) => source.replace(/^https:\/\//, '')).join(', ')}.`],
  };
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
  const changed = changeIn(changedBy, scale, change);
  return [
    `${claim}: ${labelOf(link)}`,
    inScale(baseline, scale),
    inScale(candidate, scale),
    change === null ? absent : changed(change),
    interval === null ? absent : `${changed(interval.low)} to ${changed(interval.high)}`,
    `${agreeing} of ${pairs}`,
  ];
}

/**
 * A relative change in percent or as a multiple; a difference in the unit of the values, with their digits.
 *
 * @param of the change whose interval is shown, too
 */
function changeIn(changedBy: ExplainedLink['changedBy'], scale: Scale, of: number | null): (change: number) => string {
  if (changedBy === 'ratio') return ratioFormat(of).signed;
  return (change) => {
    const text = inScale(change, scale);
    return change > 0 && /[1-9]/.test(text) ? `+${text}` : text;
  };
}
