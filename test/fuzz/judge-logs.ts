import { gunzipSync } from 'node:zlib';

/**
 * Another reading of logs: by strings, sorting and BigInt. It returns null for logs that pgbench cannot have written, which
 * are damaged. So changed digits cannot be seen as long as they are possible, nor can the loss of the last transactions of
 * a client, or of the first or last intervals.
 */
export function readLogs(files: readonly LogFile[]): Figures | null {
  const texts = files.map(textOf);
  if (texts.length === 0 || texts.some((text) => text === null || !text.endsWith('\n'))) return null;
  const rows = texts.map((text) =>
    (text ?? '')
      .slice(0, -1)
      // Lines may end as on Windows.
      .split(/\r?\n/)
      .map((line, index, { length }) => (index === length - 1 ? line.replace(/\r$/, '') : line))
      .map((line) => line.split(' ')),
  );
  const width = rows[0]?.[0]?.length ?? 0;
  if (!rows.flat().every((row) => row.length === width)) return null;
  return readTransactions(rows.flat()) ?? readAggregates(rows);
}

export interface LogFile {
  bytes: Buffer;
  gzipped: boolean;
}

/** Latencies in microseconds. */
export interface Figures {
  isExact: boolean;
  transactions: number;
  failed: number | null;
  skipped: number;
  p50: number | null;
  p999: number | null;
  max: number | null;
}

/** null if there is nothing, or nothing that can be read. */
function textOf({ bytes, gzipped }: LogFile): string | null {
  if (!gzipped) return bytes.length === 0 ? null : bytes.toString('latin1');
  try {
    const text = gunzipSync(bytes).toString('latin1');
    return text === '' || hasFurtherBytes(bytes) ? null : text;
  } catch {
    return null;
  }
}

/** gunzip leaves out bytes behind the data. With a byte less, data that is whole cannot be read. */
function hasFurtherBytes(bytes: Buffer): boolean {
  try {
    gunzipSync(bytes.subarray(0, -1));
    return true;
  } catch {
    return false;
  }
}

const isInteger = (text = ''): boolean => /^\d+$/.test(text) && BigInt(text) <= BigInt(Number.MAX_SAFE_INTEGER);
const isWithin = (text: string | undefined, low: number, high: number): boolean =>
  isInteger(text) && Number(text) >= low && Number(text) <= high;

function readTransactions(rows: readonly string[][]): Figures | null {
  const numbers = new Map<string, { number: number; skipped: boolean }[]>();
  const latencies: number[] = [];
  const ended: Record<string, number> = {};
  for (const [client = '', number, latency = '', script, second, micros, ...further] of rows) {
    const time = (text: string | undefined): boolean => isWithin(text, 0, Number(second) * 1e6);
    if (further.length > 2 || !isWithin(client, 0, 2 ** 20 - 1) || !isWithin(script, 0, 127)) return null;
    if (!isWithin(second, 1e9, 1e10) || !isWithin(micros, 0, 999_999)) return null;
    if (further.length > 0 && !time(further[0])) return null;
    if (further.length > 1 && !isInteger(further[1])) return null;
    if (!isInteger(number)) return null;
    const clientLines = numbers.get(String(Number(client))) ?? [];
    clientLines.push({ number: Number(number), skipped: latency === 'skipped' });
    numbers.set(String(Number(client)), clientLines);
    if (/^(skipped|failed|serialization|deadlock|other)$/.test(latency)) ended[latency] = (ended[latency] ?? 0) + 1;
    else if (time(latency)) latencies.push(Number(latency));
    else return null;
  }
  if (!areComplete([...numbers.values()])) return null;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number | null => latencies[Math.ceil(share * latencies.length) - 1] ?? null;
  const { skipped = 0, ...failures } = ended;
  return {
    isExact: true,
    transactions: latencies.length,
    skipped,
    failed: Object.values(failures).reduce((sum, count) => sum + count, 0),
    p50: at(0.5),
    p999: at(0.999),
    max: latencies.at(-1) ?? null,
  };
}

/**
 * Whether each client counts from 1 or, in old versions, all from 0; and whether a skipped transaction has a number of its
 * own or, in old versions, that of the next one.
 */
function areComplete(clients: { number: number; skipped: boolean }[][]): boolean {
  const first = clients.some(([one]) => one?.number === 0) ? 0 : 1;
  return [0, 1].some((skippedStep) =>
    clients.every((lines) =>
      lines.every(({ number }, index) => {
        const before = lines[index - 1];
        return number === (before ? before.number + (before.skipped ? skippedStep : 1) : first);
      }),
    ),
  );
}

function readAggregates(files: readonly string[][][]): Figures | null {
  let failed: number | null = null;
  const figures = { isExact: false, transactions: 0, skipped: 0, p50: null, p999: null };
  let max = 0;
  const steps = new Set<number>();
  for (const rows of files) {
    for (const [index, row] of rows.entries()) {
      const values = row.map(Number);
      if (![6, 10, 11, 15, 16].includes(row.length) || !row.every((text) => /^\d+$/.test(text))) return null;
      if (!row.every((text, field) => field === 3 || field === 7 || isInteger(text))) return null;
      const [start = 0, number = 0] = values;
      const skipped = values[10] ?? 0;
      const transactions = row.length === 11 ? number - skipped : number;
      if (!isWithin(row[0], 1e9, 1e10) || transactions < 0) return null;
      if (!canBe(transactions, values.slice(2, 6))) return null;
      if (row.length >= 10 && !canBe(transactions, values.slice(6, 10))) return null;
      if (index > 0) steps.add(start - Number(rows[index - 1]?.[0]));
      figures.transactions += transactions;
      figures.skipped += skipped;
      const failures = (values[13] ?? 0) + (values[14] ?? 0) + (values[15] ?? 0);
      // Without --failures-detailed, their columns are 0.
      if (failures > 0 || row.length < 15) failed = (failed ?? 0) + failures;
      max = Math.max(max, values[5] ?? 0);
    }
  }
  if (steps.size > 1 || [...steps].some((step) => step <= 0)) return null;
  return { ...figures, failed, max: figures.transactions > 0 ? max : null };
}

/** Whether so many times have a mean and a mean of squares between what minimum and maximum allow, but for rounding. */
function canBe(number: number, [sum = 0, squares = 0, min = 0, max = 0]: number[]): boolean {
  if (min > max) return false;
  if (number === 0) return sum === 0 && squares === 0 && min === 0 && max === 0;
  const [mean, meanSquare] = [sum / number, squares / number];
  const bounds = [
    [min, mean],
    [mean, max],
    [sum * mean, squares],
    [meanSquare, mean * max],
  ];
  return bounds.every(([low = 0, high = 0]) => low <= high * (1 + 1e-9) + 1);
}
