import type { Explanation } from '../../contract/explanation.ts';
import { scaleFor } from '../../contract/format.ts';
import { levelWords } from '../../contract/trial.ts';
import { shortName, wholeOf } from '../sections/why-words.ts';

/** Where transaction time goes: values of each kind that add up to the last row as printed. */
export interface TimeRows {
  unit: string;
  /** Such as `16 clients`; empty if there is only one level. */
  level: string;
  baseline: string;
  candidate: string;
  /** The largest first; `other` last. */
  rows: TimeRow[];
  whole: TimeRow;
}

export interface TimeRow {
  name: string;
  before: string;
  after: string;
  /** Parts of the longest row, from 0 to 1. */
  lengths: { before: number; after: number };
}

/** Kinds below this part of the whole on both sides stand together. */
const minShare = 0.02;
/** Digits more than the unit asks for, if parts would not add up otherwise. More would not be read. */
const maxMoreDigits = 1;

interface Sides {
  before: number;
  after: number;
}

/** null if no time was sampled or none of it changed, or if several comparisons have one: the details have those. */
export function timeRows(explanations: readonly Explanation[]): TimeRows | null {
  const [one, ...others] = explanations.filter(({ time }) => time.some(({ share }) => share !== null));
  if (!one || others.length > 0) return null;
  const sums = wholeOf(one.time);
  const whole: Sides = { before: sums.baseline, after: sums.candidate };
  const isLarge = (part: Sides): boolean =>
    part.before >= minShare * whole.before || part.after >= minShare * whole.after;
  const kinds = one.time.map((kind) => ({
    name: shortName(kind),
    before: kind.baseline,
    after: kind.candidate,
    isNamed: kind.kind !== 'other' && isLarge({ before: kind.baseline, after: kind.candidate }),
  }));
  const named = kinds
    .filter(({ isNamed }) => isNamed)
    .toSorted((a, b) => Math.max(b.before, b.after) - Math.max(a.before, a.after));
  const scale = scaleFor('latency', [whole.before, whole.after]);
  const longest = Math.max(...named.flatMap(({ before, after }) => [before, after]), Number.MIN_VALUE);
  const rowOf = (name: string, printed: Sides, exact: Sides, digits: number): TimeRow => ({
    name,
    before: text(printed.before, digits),
    after: text(printed.after, digits),
    lengths: { before: Math.min(1, exact.before / longest), after: Math.min(1, exact.after / longest) },
  });
  const hasOther = named.length < kinds.length;
  for (let more = 0; ; more += 1) {
    const digits = scale.decimals + more;
    const counts = named.map((part) => inUnits(part, scale.divisor, digits));
    const sum = add(counts);
    const total = inUnits(whole, scale.divisor, digits);
    const rest: Sides = { before: total.before - sum.before, after: total.after - sum.after };
    const fits = hasOther ? rest.before >= 0 && rest.after >= 0 : rest.before === 0 && rest.after === 0;
    if (!fits && more < maxMoreDigits) continue;
    const other: Sides = hasOther
      ? { before: Math.max(0, rest.before), after: Math.max(0, rest.after) }
      : { before: 0, after: 0 };
    const isOtherShown = other.before > 0 || other.after > 0;
    const exact = kinds.filter(({ isNamed }) => !isNamed);
    return {
      unit: scale.unit,
      level: levelWords(one.conditions),
      baseline: one.baseline,
      candidate: one.candidate,
      rows: [
        ...named.map((part, index) => rowOf(part.name, counts[index] ?? other, part, digits)),
        ...(isOtherShown ? [rowOf('other', other, add(exact), digits)] : []),
      ],
      // What no digit makes right is in the sum of what stands there.
      whole: rowOf('in all', add([sum, other]), whole, digits),
    };
  }
}

/** Whole numbers of the last digit that is printed. */
function inUnits({ before, after }: Sides, divisor: number, digits: number): Sides {
  const count = (value: number): number => Math.round((value / divisor) * 10 ** digits);
  return { before: count(before), after: count(after) };
}

function text(count: number, digits: number): string {
  return (count / 10 ** digits).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

function add(parts: readonly Sides[]): Sides {
  const sum = (of: (one: Sides) => number): number => parts.reduce((total, one) => total + of(one), 0);
  return { before: sum((one) => one.before), after: sum((one) => one.after) };
}
