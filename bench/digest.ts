import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { runChecked } from '../runner/process/run-command.ts';

const lines = 5_000_000;
const rounds = 5;

interface Once {
  transactions: number;
  seconds: number;
  peakBytes: number;
}

/**
 * Compares a digest with programs that do the least work on the same file. Also compares its memory at one and four
 * times the size.
 */
export async function benchDigest(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-bench-'));
  try {
    const log = path.join(folder, 'pgbench_log.1');
    await writeLog(log);
    print(`log of ${lines} transactions, ${(statSync(log).size / 1e6).toFixed(0)} MB; medians of ${rounds} rounds`);

    const times: { awk: number; wc: number; digest: number; digestAlone: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // All three in each round, so that other work on this machine slows all of them alike.
      const wc = await seconds(() => runChecked(['wc', '-l', log]));
      const awk = await seconds(() => runChecked(['awk', '{ sum += $3 } END { print sum / NR }', log]));
      let alone = NaN;
      const digest = await seconds(async () => (alone = (await digestOnce(log)).seconds));
      times.push({ awk, wc, digest, digestAlone: alone });
    }
    const medianOf = (name: keyof (typeof times)[number]): number => median(times.map((time) => time[name]));
    print(`wc -l                  ${medianOf('wc').toFixed(2)} s`);
    print(`awk, mean of column 3  ${medianOf('awk').toFixed(2)} s`);
    print(
      `digest                 ${medianOf('digest').toFixed(2)} s (${medianOf('digestAlone').toFixed(2)} s without start)`,
    );
    print(`digest / awk           ${median(times.map((time) => time.digest / time.awk)).toFixed(2)}`);
    print(`digest / wc -l         ${median(times.map((time) => time.digest / time.wc)).toFixed(1)}`);

    const [single, fourfold] = [await digestOnce(log), await digestOnce(log, log, log, log)];
    for (const { transactions, peakBytes } of [single, fourfold]) {
      print(`peak memory of ${transactions} transactions: ${(peakBytes / 2 ** 20).toFixed(0)} MiB`);
    }
    print(`memory, 4x / 1x        ${(fourfold.peakBytes / single.peakBytes).toFixed(2)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Writes a log with exponential latencies of 3 ms on average. One in a thousand is drawn from a hundred times that average.
 */
async function writeLog(file: string): Promise<void> {
  const random = xoroshiro128plus(1);
  const uniform = (): number => ((random.next() >>> 0) + 0.5) / 2 ** 32;
  const out = createWriteStream(file);
  for (let line = 0; line < lines;) {
    let text = '';
    for (const end = line + 10_000; line < end; line += 1) {
      const latency = Math.ceil(-Math.log(uniform()) * (uniform() < 0.001 ? 300_000 : 3000));
      text += `${line % 64} ${Math.floor(line / 64) + 1} ${latency} 0 ${1_700_000_000 + Math.floor(line / 20_000)} ${(line % 20_000) * 50}\n`;
    }
    if (!out.write(text)) await once(out, 'drain');
  }
  await finished(out.end());
}

async function digestOnce(...logs: string[]): Promise<Once> {
  const script = path.join(import.meta.dirname, 'digest-once.ts');
  const { stdout } = await runChecked([
    process.execPath,
    path.resolve(import.meta.dirname, '../bin/run.mjs'),
    script,
    ...logs,
  ]);
  return JSON.parse(stdout) as Once;
}

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return (performance.now() - start) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
