import { scaleLinear, scalePoint } from 'd3-scale';
import type { Ladder, LadderOfVariant } from '../../contract/ladder.ts';
import { levelPhrase, levelWords } from '../../contract/trial.ts';
import type { Markup } from '../media/markup.ts';
import { capitalise, percent, quantity, type Scale } from '../../contract/format.ts';
import { type MarkStyle, softInk, variantStyle } from './colours.ts';
import type { Figure } from './figure.ts';
import { bottomAxis, leftAxis, rule, ticksOf } from './axes.ts';
import { apart, element, frameIn, isNarrow, label, type Label, line, mark, nameLines, type Point } from './plot.ts';
import { labelWithUnit, metricScale, namedWords } from '../metric-words.ts';

const height = 340;

/** The pictures of a ladder: throughput over its levels, and latency over throughput. */
export function ladderFigures(ladder: Ladder): Figure[] {
  return [throughputFigure(ladder), latencyFigure(ladder)].filter((figure) => figure !== null);
}

export function throughputFigure(ladder: Ladder): Figure<LadderOfVariant[]> | null {
  const { axis, variants } = ladder;
  const scale = scaleOf(ladder, 'throughput');
  if (!scale) return null;
  const levels = (variants[0]?.points ?? []).map(({ level }) => level);
  return {
    title: `${capitalise(namedWords(ladder.throughput).label)} over ${axis}${levelPhrase(ladder.conditions)}`,
    caption: `Bars: intervals. Ring: the knee, the lowest load level within ${percent(ladder.tolerance)} of the best. Dashed: its interval.`,
    alternative: inWords(ladder, 'throughput'),
    data: variants,
    namesVariants: 'if wide',
    draw: (width) => {
      const names = isNarrow(width) ? [] : variants.map(({ variant }) => variant);
      const frame = frameIn({ width, height }, names);
      const across = scalePoint(levels, [frame.left, frame.right]).padding(0.5);
      const values = variants.flatMap(({ points }) => points.flatMap(({ throughput }) => throughput ?? []));
      const highest = Math.max(...values.flatMap(({ value, interval }) => [value, interval?.high ?? 0]));
      const up = scaleLinear([0, highest / scale.divisor], [frame.bottom, frame.top]).nice(4);
      const at = (level: number, value: number): Point => [across(level) ?? 0, up(value / scale.divisor)];
      return {
        height,
        marks: [
          ...leftAxis(frame, ticksOf(up, 4)),
          ...bottomAxis(frame, {
            ticks: levels.map((level) => ({ at: across(level) ?? 0, words: level.toLocaleString('en') })),
            name: axis,
          }),
          ...variants.flatMap((one, index) => throughputMarks(one, variantStyle(index), at)),
          ...nameLines(
            variants.flatMap(({ variant, points }) => {
              const last = points.findLast(({ throughput }) => throughput !== null);
              return names.length > 0 && last?.throughput
                ? [{ name: variant, at: at(last.level, last.throughput.value) }]
                : [];
            }),
          ),
        ],
      };
    },
  };
}

/** A line with an interval at each level, a ring around the knee, and a dashed line over the levels at which it may be. */
function throughputMarks(
  { points, knee }: LadderOfVariant,
  look: MarkStyle,
  at: (level: number, value: number) => Point,
): Markup[] {
  const { colour } = look;
  const intervals = points.flatMap(({ level, throughput }) =>
    throughput?.interval ? [[at(level, throughput.interval.low), at(level, throughput.interval.high)]] : [],
  );
  const top = points.find(({ level }) => level === knee?.level)?.throughput?.value;
  return [
    ...intervals.map((ends) => line(ends, { colour, width: 1.5 })),
    ...curve(
      points.map(({ level, throughput }) => throughput && at(level, throughput.value)),
      look,
    ),
    // If throughput still rises at the highest level, there is no knee to draw.
    ...(top === undefined || !knee ? [] : kneeMarks(knee, (level) => at(level, top), colour)),
  ];
}

function kneeMarks(
  { level, interval }: NonNullable<LadderOfVariant['knee']>,
  at: (level: number) => Point,
  colour: string,
): Markup[] {
  const [cx, cy] = at(level ?? 0);
  return [
    element('circle', { cx, cy, r: 11, fill: 'none', stroke: colour, 'stroke-width': 2 }),
    ...(interval ? [line([at(interval.low), at(interval.high)], { colour, width: 2, dashes: '6 5' })] : []),
  ];
}

/** Marks with a line through them, with gaps. */
function curve(points: readonly (Point | null)[], look: MarkStyle): Markup[] {
  const known = points.filter((point) => point !== null);
  return [line(points, { ...look, width: 2 }), ...known.map((point) => mark(point, look, { size: 10 }))];
}

function latencyFigure(ladder: Ladder): Figure<LadderOfVariant[]> | null {
  const { axis, variants, target } = ladder;
  const [across, up] = [scaleOf(ladder, 'throughput'), scaleOf(ladder, 'latency')];
  if (!across || !up || ladder.latency === null) return null;
  const [rate, time] = [namedWords(ladder.throughput), namedWords(ladder.latency)];
  const limit = target?.metric === ladder.latency ? target.milliseconds / 1000 : null;
  const marked = variants.map(({ points }) =>
    points.flatMap(({ level, throughput, latency }) =>
      throughput && latency ? [{ level, x: throughput.value / across.divisor, y: latency.value / up.divisor }] : [],
    ),
  );
  return {
    title: `${capitalise(time.label)} over ${rate.label}${levelPhrase(ladder.conditions)}`,
    caption: `Each mark is one level, with its number of ${axis}. Lower right is better. In ${up.unit}.${limit === null ? '' : ` Dashed: the target of ${quantity(limit, 'latency')}.`}`,
    alternative: inWords(ladder, 'latency'),
    data: variants,
    namesVariants: 'never',
    draw: (width) => {
      const frame = { ...frameIn({ width, height }), right: width - 24 };
      const wanted = isNarrow(width) ? 3 : 6;
      const [xs, ys] = [marked.flat().map(({ x }) => x), marked.flat().map(({ y }) => y)];
      const x = scaleLinear([0, Math.max(...xs)], [frame.left, frame.right]).nice(wanted);
      const y = scaleLinear([0, Math.max(...ys, (limit ?? 0) / up.divisor)], [frame.bottom, frame.top]).nice(4);
      const pointOf = (one: { x: number; y: number }): Point => [x(one.x), y(one.y)];
      const words = marked.flat().map((one): Label => {
        const [left, top] = pointOf(one);
        return { words: one.level.toLocaleString('en'), at: [left, top - 13], anchor: 'middle', colour: softInk };
      });
      const target = limit === null ? null : y(limit / up.divisor);
      return {
        height,
        marks: [
          ...leftAxis(frame, ticksOf(y, 4)),
          ...bottomAxis(frame, { ticks: ticksOf(x, wanted), name: labelWithUnit(rate, across), hasRules: true }),
          ...(target === null
            ? []
            : [rule([frame.left, target], [frame.right, target], { colour: softInk, dashes: '4 4' })]),
          ...marked.flatMap((points, index) => curve(points.map(pointOf), variantStyle(index))),
          ...apart(words).map(label),
        ],
      };
    },
  };
}

function scaleOf({ variants, ...names }: Ladder, what: 'throughput' | 'latency'): Scale | null {
  const metric = names[what];
  const values = variants.flatMap(({ points }) => points.flatMap((point) => point[what]?.value ?? []));
  return metric === null || values.length === 0 ? null : metricScale(metric, namedWords(metric).kind, values);
}

function inWords({ axis, variants, ...names }: Ladder, what: 'throughput' | 'latency'): string {
  const { kind } = namedWords(names[what] ?? '');
  return variants
    .map(({ variant, points }) => {
      const values = points.map(
        (point) => `${levelWords({ [axis]: point.level })} ${quantity(point[what]?.value ?? null, kind)}`,
      );
      return `${variant}: ${values.join(', ')}.`;
    })
    .join(' ');
}
