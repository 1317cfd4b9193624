import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { knowFolder } from '../runner/files/open-folder.ts';
import { durableSumsIn, sumOfFileIn } from '../runner/files/sums.ts';
import { median, quantile } from '../runner/statistics/summaries.ts';

const trials = 100;
/** What pgbench with four threads leaves of 30 s at 2,000 transactions a second, in KiB. */
const files: Readonly<Record<string, number>> = {
  'pgbench.stdout.log': 4,
  'pgbench.stderr.log': 8,
  'series.parquet': 200,
  ...Object.fromEntries([1, 2, 3, 4].map((thread) => [`transactions/pgbench_log.${thread}.gz`, 250])),
};

/**
 * How long the hashes for the manifest take after a trial, with the files synced before and without: in turns, in the
 * temporary directory, of files that another program has just written.
 */
export async function benchSeal(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-bench-'));
  const seconds = { synced: [] as number[], hashed: [] as number[] };
  try {
    const root = knowFolder(folder);
    for (let trial = 0; trial < 2 * trials; trial += 1) {
      const own = `trials/${trial}`;
      mkdirSync(path.join(folder, own, 'transactions'), { recursive: true });
      const writing = Object.entries(files).map(([name, kib]) => `head -c ${kib * 1024} /dev/urandom > ${name}`);
      execFileSync('sh', ['-c', writing.join(' && ')], { cwd: path.join(folder, own) });
      const names = Object.keys(files).map((name) => `${own}/${name}`);
      const begun = performance.now();
      if (trial % 2 === 0) await durableSumsIn(root, names);
      else for (const name of names) await sumOfFileIn(root, name);
      seconds[trial % 2 === 0 ? 'synced' : 'hashed'].push((performance.now() - begun) / 1000);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const kib = Object.values(files).reduce((sum, one) => sum + one, 0);
  process.stdout.write(`${trials} trials each, of ${Object.keys(files).length} files with ${kib} KiB\n`);
  for (const [name, all] of Object.entries(seconds)) {
    const [middle, high] = [median(all), quantile(all, 0.95)].map((one) => ((one ?? NaN) * 1000).toFixed(1));
    process.stdout.write(`${name}: median ${middle} ms, 95% within ${high} ms\n`);
  }
}
