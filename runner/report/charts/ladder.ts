import type { Ladder, LadderOfVariant, LadderPoint } from '../../contract/ladder.ts';
import { levelPhrase, levelWords } from '../../contract/trial.ts';
import { wordsOf } from '../view/ladder-view.ts';
import { labelWithUnit, metricScale } from '../words/metric-words.ts';
import type { Figure } from './render.ts';
import { ink, measuredAxis, quietAxis, roomForNames, shortName, softInk, variantLook } from './subject.ts';
import { capitalise, percent, quantity, type Scale } from '../../contract/format.ts';

/** The pictures of a ladder: throughput over its levels, and latency over throughput. */
export function ladderFigures(ladder: Ladder): Figure[] {
  return [throughputFigure(ladder), latencyFigure(ladder)].filter((figure) => figure !== null);
}

export function throughputFigure(ladder: Ladder): Figure<LadderOfVariant[]> | null {
  const { axis, variants } = ladder;
  const levels = (variants[0]?.points ?? []).map(({ level }) => level);
  const scale = scaleOf(ladder, 'throughput');
  const words = wordsOf(ladder.throughput);
  if (!scale) return null;
  return {
    title: `${capitalise(words.label)} over ${axis}${levelPhrase(ladder.conditions)}`,
    caption: `Bars: intervals. Ring: the knee, the lowest level within ${percent(ladder.tolerance)} of the best; dashed: where else it may lie.`,
    alternative: inWords(ladder, 'throughput'),
    data: variants,
    namesVariants: 'if wide',
    height: () => 340,
    option: ({ narrow }) => ({
      grid: roomForNames(
        variants.map(({ variant }) => ({ name: variant })),
        narrow,
      ),
      xAxis: {
        ...quietAxis,
        type: 'category',
        data: levels.map((level) => level.toLocaleString('en')),
        splitLine: { show: false },
        name: axis,
        nameLocation: 'middle',
        nameGap: 30,
      },
      yAxis: { ...measuredAxis(scale), min: 0 },
      series: variants.flatMap((one, index) => {
        const look = variantLook(index);
        const points = one.points.map(({ throughput }, place) => [
          place,
          throughput ? throughput.value / scale.divisor : '-',
        ]);
        const bars = one.points.flatMap(({ throughput }, place) =>
          throughput?.interval ? barOf(place, throughput.interval, scale.divisor) : [],
        );
        return [
          lineOf(points, one.variant, look, { named: !narrow }),
          {
            type: 'line' as const,
            silent: true,
            showSymbol: false,
            lineStyle: { color: look.colour, width: 1.5 },
            data: bars,
          },
          ...kneeSeries(one, levels, look.colour, scale),
        ];
      }),
    }),
  };
}

function latencyFigure(ladder: Ladder): Figure<LadderOfVariant[]> | null {
  const { axis, variants, target } = ladder;
  const [across, up] = [scaleOf(ladder, 'throughput'), scaleOf(ladder, 'latency')];
  if (!across || !up || ladder.latency === null) return null;
  const [rate, time] = [wordsOf(ladder.throughput), wordsOf(ladder.latency)];
  const limit = target?.metric === ladder.latency ? target.milliseconds / 1000 : null;
  return {
    title: `${capitalise(time.label)} over ${rate.label}${levelPhrase(ladder.conditions)}`,
    caption: `Each mark is one level, with its number of ${axis}. Down and to the right is better. In ${up.unit}.${limit === null ? '' : ` Dashed: the target of ${quantity(limit, 'latency')}.`}`,
    alternative: inWords(ladder, 'latency'),
    data: variants,
    namesVariants: 'never',
    height: () => 340,
    option: ({ narrow }) => ({
      grid: { left: 62, right: 24, top: 16, bottom: 48 },
      xAxis: {
        ...measuredAxis(across),
        splitNumber: narrow ? 3 : 6,
        min: 0,
        name: labelWithUnit(rate, across),
        nameLocation: 'middle',
        nameGap: 30,
        nameTextStyle: quietAxis.nameTextStyle,
      },
      yAxis: { ...measuredAxis(up), min: 0 },
      series: [
        ...variants.map(({ variant, points }, index) => {
          const drawn = points.filter(isWhole);
          return {
            ...lineOf(
              drawn.map(({ throughput, latency }) => [throughput.value / across.divisor, latency.value / up.divisor]),
              variant,
              variantLook(index),
              { named: false },
            ),
            label: {
              show: true,
              position: 'top' as const,
              color: softInk,
              formatter: ({ dataIndex = 0 }: { dataIndex?: number }) =>
                (drawn[dataIndex]?.level ?? '').toLocaleString('en'),
            },
          };
        }),
        ...(limit === null
          ? []
          : [
              {
                type: 'line' as const,
                data: [],
                markLine: {
                  silent: true,
                  symbol: 'none',
                  lineStyle: { color: softInk, type: 'dashed' as const },
                  label: { show: false },
                  data: [{ yAxis: limit / up.divisor }],
                },
              },
            ]),
      ],
    }),
  };
}

type Look = ReturnType<typeof variantLook>;

function lineOf(data: (number | string)[][], name: string, { colour, symbol }: Look, { named }: { named: boolean }) {
  return {
    type: 'line' as const,
    silent: true,
    showSymbol: true,
    symbol,
    symbolSize: 10,
    itemStyle: { color: colour, opacity: 1 },
    lineStyle: { color: colour, width: 2 },
    z: 3,
    data,
    endLabel: { show: named, color: ink, distance: 8, formatter: () => shortName(name) },
    labelLayout: { moveOverlap: 'shiftY' as const },
  };
}

function barOf(place: number, { low, high }: { low: number; high: number }, divisor: number): (number | string)[][] {
  return [
    [place, low / divisor],
    [place, high / divisor],
    [place, '-'],
  ];
}

/** A ring around the knee, and a dashed line from the lowest to the highest level at which it may be. */
function kneeSeries({ knee, points }: LadderOfVariant, levels: readonly number[], colour: string, scale: Scale) {
  // If throughput still rises at the highest level, there is no knee to draw.
  if (!knee || knee.level === null) return [];
  const place = levels.indexOf(knee.level);
  const height = (points[place]?.throughput?.value ?? 0) / scale.divisor;
  return [
    {
      type: 'scatter' as const,
      silent: true,
      symbol: 'circle',
      symbolSize: 22,
      itemStyle: { color: 'transparent', borderColor: colour, borderWidth: 2, opacity: 1 },
      data: [[place, height]],
    },
    ...(knee.interval
      ? [
          {
            type: 'line' as const,
            silent: true,
            showSymbol: false,
            lineStyle: { color: colour, width: 2, type: 'dashed' as const },
            data: [knee.interval.low, knee.interval.high].map((level) => [levels.indexOf(level), height]),
          },
        ]
      : []),
  ];
}

function scaleOf({ variants, ...names }: Ladder, what: 'throughput' | 'latency'): Scale | null {
  const metric = names[what];
  const values = variants.flatMap(({ points }) => points.flatMap((point) => point[what]?.value ?? []));
  return metric === null || values.length === 0 ? null : metricScale(metric, wordsOf(metric).kind, values);
}

function inWords({ axis, variants, ...names }: Ladder, what: 'throughput' | 'latency'): string {
  const { kind } = wordsOf(names[what] ?? '');
  return variants
    .map(({ variant, points }) => {
      const values = points.map(
        (point) => `${levelWords({ [axis]: point.level })} ${quantity(point[what]?.value ?? null, kind)}`,
      );
      return `${variant}: ${values.join(', ')}.`;
    })
    .join(' ');
}

function isWhole(point: LadderPoint): point is LadderPoint & { throughput: object; latency: object } {
  return point.throughput !== null && point.latency !== null;
}
