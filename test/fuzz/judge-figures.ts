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
  return sections.every((lines) => {
    const [, counted = '', share = '0', speed = ''] =
      lines.map((line) => /^ - (\d+) transactions \((\S+)% of total(?:, tps = (\S+))?\)/.exec(line)).find(Boolean) ??
      [];
    const carriedOut = lines.map((line) => /^ - number .* processed: (\d+) \(tps = (\S+)\)/.exec(line)).find(Boolean);
    const [number, ofScript] = [Number(carriedOut?.[1] ?? counted), Number(carriedOut?.[2] ?? speed)];
    const isOfTotal = [processed, all].some((whole) => isNear(Number(share), (100 * Number(counted)) / whole, 0.06));
    const wholes = [Number(counted), Number(counted) + endedOtherwise(lines)];
    return (
      isOfTotal &&
      isNear((number / ofScript) * tps, processed, processed * (2e-6 / tps + 2e-6 / ofScript + 1e-7)) &&
      lines.every((line) => isShareRight(line, wholes))
    );
  });
}

/** Clients that wait for nothing are always in a transaction. */
function isBusy(head: readonly string[], clients: number, tps: number, carriedOut: number, processed: number): boolean {
  const latency = find(head, /^latency average(?: =|:) (\S+) ms/) ?? NaN;
  const busy = (1000 * clients) / tps;
  if (head.some((line) => line.startsWith('rate limit schedule lag: '))) return true;
  if (head.some((line) => line.startsWith('latency stddev'))) return !(latency > busy * 1.02 + 0.01);
  if (isNear(latency, busy * carriedOut, 0.002 + busy * (2e-6 / tps + 2e-6))) return true;
  const duration = find(head, /^duration: (\d+) s$/) ?? 0;
  return (
    head.some((line) => / \(excluding/.test(line)) && isNear(latency, (1000 * clients * duration) / processed, 0.002)
  );
}

function endedOtherwise(lines: readonly string[]): number {
  return (
    (find(lines, /number of failed transactions: (\d+)/) ?? 0) +
    (find(lines, /number of transactions skipped: (\d+)/) ?? 0)
  );
}

function isShareRight(line: string, wholes: readonly number[]): boolean {
  const [, part, share] = /: (\d+)(?:\/\d+)? \((\d+\.\d{3}) ?%\)$/.exec(line) ?? [];
  return share === undefined || wholes.some((whole) => isNear(Number(share), (100 * Number(part)) / whole, 0.001));
}

/** Also if there is nothing to compare with. */
function isNear(value: number, expected: number, within: number): boolean {
  return !(Math.abs(value - expected) > within);
}

function find(lines: readonly string[], pattern: RegExp): number | null {
  const found = lines.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
  return found === undefined ? null : Number(found);
}
