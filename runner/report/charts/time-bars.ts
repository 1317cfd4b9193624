import type { ExplainedTime, Explanation } from '../../contract/explanation.ts';
import { levelKey, levelSuffix } from '../../contract/trial.ts';
import { timeKinds } from '../../metrics/transaction-time.ts';
import { inScale, inUnit, type Scale, scaleFor } from '../../contract/format.ts';
import { shortName, wholeOf } from '../sections/why-words.ts';

/** The time of a transaction of several variants at one level: what is drawn as one bar for each, on one axis. */
export interface TimeBars {
  title: string;
  /** The baseline comes before the candidates that are compared with it. */
  bars: TimeBar[];
  /** The kinds that are drawn, in the order in which each bar has them. */
  kinds: { kind: string; name: string }[];
}

export interface TimeBar {
  variant: string;
  /** Length of the bar as a part of the longest one, from 0 to 1. */
  length: number;
  /** Such as `22.4 ms`. */
  whole: string;
  /** A value for each kind; `part` of the bar, from 0 to 1. */
  segments: { kind: string; part: number; value: string }[];
}

/** Kinds that take less of the longest bar than this in each bar are drawn as one, together with all other ones. */
const minDrawnShare = 0.03;

const rest = 'other';

/** One picture for each level. Its bars are the means of the explanations, so nothing is drawn that was not sampled. */
export function timeBars(explanations: readonly Explanation[]): TimeBars[] {
  const sampled = explanations.filter(({ time }) => time.length > 0);
  const levels = new Set(sampled.map(({ conditions }) => levelKey(conditions)));
  return [...levels].map((key) => barsOf(sampled.filter(({ conditions }) => levelKey(conditions) === key)));
}

interface Side {
  variant: string;
  whole: number;
  seconds: (kind: string) => number;
}

function barsOf(explanations: readonly Explanation[]): TimeBars {
  const times = explanations.flatMap(({ time }) => time);
  const all = explanations.flatMap(sidesOf);
  const longest = Math.max(...all.map(({ whole }) => whole));
  const scale = scaleFor('latency', [longest]);
  const sides = withoutRepeats(all, scale);
  const known = orderOf(times);
  const drawn = known.filter(
    (kind) => kind !== rest && sides.some((side) => side.seconds(kind) >= minDrawnShare * longest),
  );
  const others = known.filter((kind) => !drawn.includes(kind));
  const kinds = [
    ...drawn.map((kind) => ({ kind, name: shortName({ kind, title: titleOf(kind, times) }), of: [kind] })),
    ...(others.length > 0 ? [{ kind: rest, name: shortName({ kind: rest, title: rest }), of: others }] : []),
  ];
  return {
    title: `Where transaction time goes${levelSuffix(explanations[0]?.conditions ?? {})} (${scale.unit})`,
    bars: sides.map(({ variant, whole, seconds }) => ({
      variant,
      length: longest > 0 ? whole / longest : 0,
      whole: inUnit(whole, scale),
      segments: kinds.map(({ kind, of }) => {
        const value = of.reduce((sum, one) => sum + seconds(one), 0);
        return { kind, part: whole > 0 ? value / whole : 0, value: inScale(value, scale) };
      }),
    })),
    kinds: kinds.map(({ kind, name }) => ({ kind, name })),
  };
}

function sidesOf({ baseline, candidate, time }: Explanation): Side[] {
  const whole = wholeOf(time);
  const seconds = (side: 'baseline' | 'candidate') => (kind: string) =>
    time.find((one) => one.kind === kind)?.[side] ?? 0;
  return [
    { variant: baseline, whole: whole.baseline, seconds: seconds('baseline') },
    { variant: candidate, whole: whole.candidate, seconds: seconds('candidate') },
  ];
}

/** Each candidate has a baseline of its own pairs. It is drawn again only if it differs from the one before. */
function withoutRepeats(sides: readonly Side[], scale: Scale): Side[] {
  const looks = (side: Side): string => `${side.variant} ${inScale(side.whole, scale)}`;
  return sides.filter((side, index) => sides.findIndex((one) => looks(one) === looks(side)) === index);
}

/** The kinds in their one order; those of another version of pgduet come before the other ones. */
function orderOf(times: readonly ExplainedTime[]): string[] {
  const found = new Set(times.map(({ kind }) => kind));
  const known = timeKinds.map(({ kind }) => kind as string);
  return [
    ...known.filter((kind) => kind !== rest && found.has(kind)),
    ...[...found].filter((kind) => !known.includes(kind)),
    ...(found.has(rest) ? [rest] : []),
  ];
}

function titleOf(kind: string, times: readonly ExplainedTime[]): string {
  return times.find((one) => one.kind === kind)?.title ?? kind;
}
