import { ladderFigures } from '../charts/ladder.ts';
import { onFile, type Section } from './section.ts';
import type { Ladder, LadderOfVariant, LadderPoint } from '../../contract/ladder.ts';
import type { Result } from '../../contract/result.ts';
import { levelKey, levelPhrase, levelWords } from '../../contract/trial.ts';
import { baselineAt } from '../../experiment/groups.ts';
import { comparedLevels } from '../../experiment/plan/design.ts';
import { levelsPastKnee } from '../../analysis/ladder/past-knee.ts';
import { ratioFormat } from '../../contract/format-change.ts';
import { absent, inDigits, inScale, levelPercent, percent, quantity, type Scale } from '../../contract/format.ts';
import { labelWithUnit, metricScale, namedWords, ratioWords } from '../metric-words.ts';
import { left, right, type Table } from '../media/table.ts';

/** What several levels of the load show together, in words, pictures and a table. */
export const ladderSection: Section = {
  id: 'ladder',
  blocks: ({ result }) =>
    viewLadders(result).map(({ title, sentences, table }, index) => ({
      title,
      parts: [
        { kind: 'list', items: sentences },
        {
          kind: 'pictures',
          id: `ladder-${index + 1}`,
          open: 1,
          figures: (result.ladders ?? []).slice(index, index + 1).flatMap(ladderFigures),
          only: onFile,
        },
        { kind: 'table', table },
      ],
    })),
};

/** A ladder in words: what it says about each variant, and the table of its levels. */
export interface LadderView {
  title: string;
  /** A sentence or two for each variant. */
  sentences: string[];
  table: Table;
}

type Shown = Pick<Result, 'ladders' | 'experiment' | 'trials'>;

export function viewLadders(result: Shown): LadderView[] {
  return (result.ladders ?? []).map((ladder) => ({
    title: ladderTitle(ladder),
    sentences: [
      ...ladder.variants.flatMap((one) => [
        kneeSentence(ladder, one),
        ...bestSentence(ladder, one),
        ...targetSentence(ladder, one),
      ]),
      ...bestAgainstBest(ladder, baselineAt(result.experiment.definition, ladder.conditions)),
      ...howClimbed(result, ladder),
    ],
    table: ladderTable(ladder),
  }));
}

/** Such as `Over clients`, or `Over clients at rate 600`. */
function ladderTitle({ axis, conditions }: Ladder): string {
  return `Over ${axis}${levelPhrase(conditions)}`;
}

function kneeSentence(ladder: Ladder, { variant, knee, points }: LadderOfVariant): string {
  if (!knee) return `${variant}: no knee (fewer than two load levels measured).`;
  const { label, kind } = namedWords(ladder.throughput);
  const at = (level: number): string => levelWords({ [ladder.axis]: level });
  const measured = points.filter(({ throughput }) => throughput !== null);
  const valueAt = (level: number): string =>
    quantity(points.find((point) => point.level === level)?.throughput?.value ?? null, kind);
  const top = measured.at(-1)?.level ?? NaN;
  const sure = knee.interval
    ? `interval ${knee.interval.low === knee.interval.high ? at(knee.interval.low) : `${inDigits(knee.interval.low)} to ${at(knee.interval.high)}`}${knee.interval.high === top ? ' or more' : ''}, ${levelPercent(knee.interval.level)} confidence, approximate`
    : 'no interval: too few blocks';
  return knee.level === null
    ? `${variant}: no knee up to ${at(top)}, the highest level, where ${label} is ${valueAt(top)} (${sure}).`
    : `${variant}: the knee lies at ${at(knee.level)} (${sure}), with ${label} of ${valueAt(knee.level)}.`;
}

function bestSentence({ axis, throughput }: Ladder, { variant, best }: LadderOfVariant): string[] {
  if (!best) return [];
  const { label, kind } = namedWords(throughput);
  const [first, second] = best.levels.map((level) => levelWords({ [axis]: level }));
  const how =
    second === undefined
      ? `at ${first} (each half of the ${best.n} blocks chose this level, and the other half measured it)`
      : `at ${first} or ${second} (each half of the ${best.n} blocks measured the level that the other half chose)`;
  return [`${variant}: the best ${label} is ${quantity(best.value, kind)}, ${how}.`];
}

/** Compares the best values that the preceding sentences show. */
function bestAgainstBest({ variants }: Ladder, baseline: string): string[] {
  const from = variants.find(({ variant }) => variant === baseline)?.best;
  if (!from) return [];
  return variants.flatMap(({ variant, best }) => {
    if (!best || variant === baseline) return [];
    const change = best.value / from.value - 1;
    const is = ratioFormat(change).isMultiple ? 'reaches' : 'differs by';
    return [`Best against best, ${variant} ${is} ${ratioWords(change)}; there is no interval for this.`];
  });
}

function targetSentence({ target, axis, throughput }: Ladder, { variant, atTarget }: LadderOfVariant): string[] {
  if (!target || !atTarget) return [];
  const { label, kind } = namedWords(throughput);
  const { level, levels, interval } = atTarget;
  const kept = `${namedWords(target.metric).label} at or below ${inDigits(target.milliseconds)} ms`;
  const none = 'not even at the lowest load level';
  const upTo = (one: number | null): string => (one === null ? none : `up to ${levelWords({ [axis]: one })}`);
  const may =
    levels && levels.low !== levels.high
      ? `; the true limit may be anything from “${upTo(levels.low)}” to “${upTo(levels.high)}”`
      : '';
  const sure = interval
    ? ` (${quantity(interval.low, kind)} to ${quantity(interval.high, kind)}, ${levelPercent(interval.level)} confidence)`
    : ' (no interval: too few blocks)';
  return [
    level === null
      ? `${variant} does not keep ${kept} even at its lowest level${may}.`
      : `${variant} keeps ${kept} ${upTo(level)}, with ${label} of ${quantity(atTarget.throughput, kind)}${sure}${may}.`,
  ];
}

function howClimbed({ experiment, trials }: Shown, { axis }: Ladder): string[] {
  const { ladder } = experiment.definition;
  const past = new Set(levelsPastKnee(experiment.definition, trials).map(levelKey));
  const leftOut = comparedLevels(experiment.definition).filter((level) => axis in level && past.has(levelKey(level)));
  return [
    ...(ladder.order === 'rising'
      ? [`Load levels rise in every block instead of being randomised: ${ladder.reason ?? ''}`]
      : []),
    ...(leftOut.length > 0
      ? [
          `From block ${(ladder.stopPastKneeAfter ?? 0) + 1} on, load levels past the knee were skipped: ${leftOut.map(levelWords).join('; ')}.`,
        ]
      : []),
  ];
}

function ladderTable(ladder: Ladder): Table {
  const { axis, throughput, latency, variants, tolerance } = ladder;
  const columns = [
    { metric: throughput, of: (point: LadderPoint | undefined) => point?.throughput ?? null },
    ...(latency === null ? [] : [{ metric: latency, of: (point: LadderPoint | undefined) => point?.latency ?? null }]),
  ].flatMap(({ metric, of }) => {
    const words = namedWords(metric);
    const values = variants.flatMap(({ points }) => points.map((point) => of(point)?.value ?? null));
    const scale = metricScale(metric, words.kind, values);
    return variants.map((one) => ({ one, of, scale, label: `${one.variant}, ${labelWithUnit(words, scale)}` }));
  });
  const levels = variants[0]?.points.map(({ level }) => level) ?? [];
  return {
    title: ladderTitle(ladder),
    columns: [left(axis), ...columns.map(({ label }, index) => right(label, index < variants.length ? undefined : 1))],
    rows: levels.map((level, index) => ({
      cells: [
        inDigits(level),
        ...columns.map(({ one, of, scale }, column) => {
          const isKnee = column < variants.length && one.knee?.level === level;
          return `${estimateText(of(one.points[index]), scale)}${isKnee ? ' ◂ knee' : ''}`;
        }),
      ],
    })),
    notes: [
      `Values are those of the comparisons at each level. Intervals are Hodges-Lehmann intervals of the variant alone. The knee is the lowest level within ${percent(tolerance)} of the best; its interval comes from resampling the blocks, and is approximate.`,
    ],
  };
}

function estimateText(estimate: LadderPoint['throughput'], scale: Scale): string {
  if (!estimate) return absent;
  const { value, interval } = estimate;
  return `${inScale(value, scale)}${interval ? ` (${inScale(interval.low, scale)} to ${inScale(interval.high, scale)})` : ''}`;
}
