/** Whole numbers between two, ends included, all as likely as each other, and the share of draws that are among them. */
export interface Segment {
  from: bigint;
  to: bigint;
  share: number;
}

/** Into so many parts the share of each segment is rounded. */
export const parts = 10_000;

/** How much the distribution may differ from the one that is known, at any value. */
const simplifiedBy = 0.005;

/**
 * Segments between the ends of a histogram, whose parts have the same number of rows each. Neighbours of the same density
 * become one.
 *
 * @param ends in order
 * @param share of all of them
 * @param further numbers between the ends, with shares of their own, that are no more likely than their neighbours
 */
export function segmentsBetween(
  ends: readonly bigint[],
  share: number,
  further: readonly { at: bigint; share: number }[] = [],
): Segment[] {
  const [first] = ends;
  if (first === undefined) return [];
  if (ends.length === 1) return [{ from: first, to: first, share }];
  const each = share / (ends.length - 1);
  /** The share of all numbers up to each end. */
  const upTo = ends.map(
    (end, index) => each * index + further.reduce((sum, one) => sum + (one.at <= end && index > 0 ? one.share : 0), 0),
  );
  const segments: Segment[] = [];
  let begin = 0;
  while (begin < ends.length - 1) {
    let end = begin + 1;
    while (end + 1 < ends.length && isStraight(ends, upTo, begin, end + 1)) end += 1;
    const [low = 0n, high = 0n] = [ends[begin], ends[end]];
    // A segment begins after the end of the one before.
    const from = begin > 0 && low < high ? low + 1n : low;
    segments.push({ from, to: high, share: (upTo[end] ?? 0) - (upTo[begin] ?? 0) });
    begin = end;
  }
  return segments;
}

/** Whether the shares between two ends are what they would be if all numbers were as likely as each other. */
function isStraight(ends: readonly bigint[], upTo: readonly number[], begin: number, end: number): boolean {
  const low = ends[begin] ?? 0n;
  const span = Number((ends[end] ?? 0n) - low);
  if (span === 0) return true;
  const [min = 0, max = 0] = [upTo[begin], upTo[end]];
  return ends.slice(begin + 1, end).every((middle, index) => {
    const expected = (Number(middle - low) / span) * (max - min);
    return Math.abs(expected - ((upTo[begin + 1 + index] ?? 0) - min)) <= simplifiedBy;
  });
}

/**
 * Commands of pgbench that draw a number from segments.
 *
 * @param name of the variable that gets it
 */
export function drawing(name: string, segments: readonly Segment[]): string[] {
  const pieces = inParts(segments);
  const [only] = pieces;
  if (!only) throw new Error(`nothing to draw for ${name}`);
  if (pieces.length === 1) return [`\\set ${name} ${drawn(only)}`];
  return [`\\set ${name}_part random(1, ${parts})`, `\\set ${name} ${among(pieces, `:${name}_part`)}`];
}

interface Piece extends Segment {
  /** The last part of it. */
  until: number;
}

/** The segments with at least one part each, as far as they are drawn at all. */
function inParts(segments: readonly Segment[]): Piece[] {
  const total = segments.reduce((sum, { share }) => sum + share, 0);
  let [seen, until] = [0, 0];
  const pieces: Piece[] = [];
  for (const segment of segments) {
    seen += segment.share;
    const next = Math.round((seen / total) * parts);
    if (next > until) pieces.push({ ...segment, until: next });
    until = next;
  }
  return pieces;
}

/** Halves of the pieces within each other, so that pgbench makes few comparisons for each draw. */
function among(pieces: readonly Piece[], part: string): string {
  const [only] = pieces;
  if (only && pieces.length === 1) return drawn(only);
  const half = Math.ceil(pieces.length / 2);
  const [lower, upper] = [pieces.slice(0, half), pieces.slice(half)];
  return `case when ${part} <= ${lower.at(-1)?.until ?? 0} then ${among(lower, part)} else ${among(upper, part)} end`;
}

function drawn({ from, to }: Segment): string {
  return from === to ? String(from) : `random(${from}, ${to})`;
}
