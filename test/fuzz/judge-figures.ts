/**
 * Whether the numbers of a summary can stand together: pgbench computes shares, speeds and latencies from counts that it
 * prints, too. Wider by a little than what pgbench rounds. Lines are those of an undamaged form.
 */
export function canStandTogether(head: readonly string[], sections: readonly string[][]): boolean {
  const processed = find(head, /^number of transactions actually processed: (\d+)/) ?? NaN;
  const asked = find(head, /^number of transactions actually processed: \d+\/(\d+)/);
  const clients = find(head, /^number of clients: (\d+)/) ?? NaN;
  const tps = find(head, /^tps = (\S+) \((?:including|without)/) ?? NaN;
  const all = processed + endedOtherwise(head);
  if (asked !== null && all > asked) return false;
  if ((find(head, /^number of threads: (\d+)/) ?? 0) > clients) return false;
  if (!head.every((line) => isShareRight(line, [processed, all]))) return false;
  if (!isBusy(head, clients, tps, processed / all, processed)) return false;
  if (!isRoundedAlike([...head, ...sections.flat()])) return false;
  return sections.every((lines) => {
    const [, counted = '', share = '0', speed = ''] =
      lines.map((line) => /^ - (\d+) transactions \((\S+)% of total(?:, tps = (\S+))?\)/.exec(line)).find(Boolean) ??
      [];
    const carriedOut = lines.map((line) => /^ - number .* processed: (\d+) \(tps = (\S+)\)/.exec(line)).find(Boolean);
    const [number, scriptTps] = [Number(carriedOut?.[1] ?? counted), Number(carriedOut?.[2] ?? speed)];
    const isOfTotal = [processed, all].some((whole) =>
      isNear(Number(share), (100 * Number(counted)) / whole, 0.6 * unitOf(share)),
    );
    const [unit, unitOfRun] = [unitOf(carriedOut?.[2] ?? speed), unitOf(textOf(head, /^tps = (\S+) \(/))];
    const wholes = [Number(counted), Number(counted) + endedOtherwise(lines)];
    return (
      isOfTotal &&
      isNear(
        (number / scriptTps) * tps,
        processed,
        processed * ((2 * unitOfRun) / tps + (2 * unit) / scriptTps + 1e-7),
      ) &&
      lines.every((line) => isShareRight(line, wholes))
    );
  });
}

/** Clients that wait for nothing are always in a transaction. */
function isBusy(head: readonly string[], clients: number, tps: number, carriedOut: number, processed: number): boolean {
  const latency = find(head, /^latency average(?: =|:) (\S+) ms/) ?? NaN;
  const busy = (1000 * clients) / tps;
  const [unit, unitOfTime] = [
    unitOf(textOf(head, /^tps = (\S+) \(/)),
    unitOf(textOf(head, /^latency average.*? (\d\S*) ms/)),
  ];
  if (head.some((line) => line.startsWith('rate limit schedule lag: '))) return true;
  if (head.some((line) => line.startsWith('latency stddev'))) return !(latency > busy * 1.02 + 10 * unitOfTime);
  if (isNear(latency, busy * carriedOut, 2 * unitOfTime + busy * ((2 * unit) / tps + 2e-6))) return true;
  const duration = find(head, /^duration: (\d+) s$/) ?? 0;
  return (
    head.some((line) => / \(excluding/.test(line)) &&
    isNear(latency, (1000 * clients * duration) / processed, 2 * unitOfTime)
  );
}

/**
 * Whoever rounds, rounds all times alike and all speeds, and leaves two digits. Where single transactions were timed, the
 * speed must then follow from the duration.
 */
function isRoundedAlike(lines: readonly string[]): boolean {
  const all = (pattern: RegExp): string[] => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  const times = all(/(?:latency (?:average|stddev)(?: =|:)|connection time =|schedule lag: avg) (\d\S*) /);
  const speeds = all(/tps = (\d[\d.]*)/);
  const [timeUnits, speedUnits] = [times, speeds].map((texts) => new Set(texts.map(unitOf)));
  if ((timeUnits?.size ?? 0) > 1 || (speedUnits?.size ?? 0) > 1) return false;
  if ([...(timeUnits ?? [])].every((unit) => unit === 1e-3) && [...(speedUnits ?? [])].every((unit) => unit === 1e-6))
    return true;
  const [speed, latency] = [speeds[0] ?? '', textOf(lines, /^latency average.*? (\d\S*) ms/)];
  if ([speed, latency].some((text) => text !== '' && Number(text) < 9 * unitOf(text))) return false;
  if (!lines.some((line) => line.startsWith('latency stddev'))) return true;
  const processed = find(lines, /^number of transactions actually processed: (\d+)/) ?? NaN;
  const duration = find(lines, /^duration: (\d+) s$/) ?? NaN;
  const connecting = (find(lines, /^initial connection time = (\S+) ms$/) ?? 0) / 1000;
  return Math.abs(processed / Number(speed) + connecting - duration) <= 0.03 * duration;
}

/** The worth of the last place of a number. */
function unitOf(text: string): number {
  return Number(`1e-${/\.(\d+)/.exec(text)?.[1]?.length ?? 0}`);
}

function textOf(lines: readonly string[], pattern: RegExp): string {
  return lines.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined) ?? '';
}

function endedOtherwise(lines: readonly string[]): number {
  return (
    (find(lines, /number of failed transactions: (\d+)/) ?? 0) +
    (find(lines, /number of transactions skipped: (\d+)/) ?? 0)
  );
}

function isShareRight(line: string, wholes: readonly number[]): boolean {
  const [, part, share] = /: (\d+)(?:\/\d+)? \((\d+(?:\.\d+)?) ?%\)$/.exec(line) ?? [];
  return (
    share === undefined || wholes.some((whole) => isNear(Number(share), (100 * Number(part)) / whole, unitOf(share)))
  );
}

/** Also if there is nothing to compare with. */
function isNear(value: number, expected: number, within: number): boolean {
  return !(Math.abs(value - expected) > within);
}

function find(lines: readonly string[], pattern: RegExp): number | null {
  const found = lines.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
  return found === undefined ? null : Number(found);
}
