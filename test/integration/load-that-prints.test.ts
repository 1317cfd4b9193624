import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { processStart } from '../../runner/process/tracked-process.ts';
import { pgbenchGenerator } from '../../runner/workloads/pgbench/generator.ts';
import { resolveLevel, pgbenchSchema } from '../../runner/workloads/pgbench/schema.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

const cluster = clusterForAll();

/** Measures 3 s of a script that carries out this line before each of its transactions. */
function measure(name: string, line: string) {
  const folder = path.join(cluster.folder, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'mix.sql'), `${line}\nSELECT pg_sleep(0.01);\n`);
  const workload = resolveLevel(
    pgbenchSchema.parse({
      tool: 'pgbench',
      scale: 1,
      clients: 2,
      durationSeconds: 3,
      scripts: [{ file: 'mix.sql' }],
    }),
  );
  const { programs, target } = cluster;
  const generator = pgbenchGenerator({ workload, programs, scriptFolder: folder, collect: [] });
  const { signal } = new AbortController();
  return generator.measure(target, { folder, seed: 1, signal, onProgress: () => undefined });
}

it.each([
  ['appended to stdout', '\\shell echo note >> /dev/stdout'],
  ['appended to stderr', '\\shell echo note >> /dev/stderr'],
  ['printed to stdout without a newline', '\\shell printf x'],
  ['printed to stderr without a newline', '\\shell printf x >&2'],
])('what a load %s hides nothing of pgbench', async (name, line) => {
  const { measures, warnings } = await measure(name.replaceAll(' ', '-'), line);
  expect(measures['progress.gap']).toBeGreaterThan(0.5);
  expect(measures['transactions']).toBeGreaterThan(10);
  expect(measures).not.toHaveProperty('progress.emptied');
  expect(warnings).toEqual([]);
});

it.each(['stdout', 'stderr'] as const)('a load that empties %s is measured, and named', async (output) => {
  const { measures, warnings } = await measure(`emptied-${output}`, `\\shell echo note > /dev/${output}`);
  expect(measures['transactions']).toBeGreaterThan(10);
  expect(warnings?.join()).toMatch(new RegExp(`^The load emptied pgbench\\.${output}\\.log while it ran`));
});

it('what a load leaves running is ended with it', async () => {
  const file = path.join(cluster.folder, 'started');
  writeFileSync(file, '');
  chmodSync(file, 0o666);
  await measure('left', `\\shell sleep 311 >/dev/null 2>&1 & echo $! >> ${file}`);
  const started = readFileSync(file, 'utf8').trim().split('\n').map(Number);
  expect(started.length).toBeGreaterThan(5);
  await expect.poll(() => started.filter((pid) => processStart(pid) !== null)).toEqual([]);
});
