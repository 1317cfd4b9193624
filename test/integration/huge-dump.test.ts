import { linkSync, readdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { CommandLine } from '../helpers/processes/command-line.ts';
import { tinyExperiment, tinyRun } from '../helpers/processes/tiny-run.ts';

it('a command that looks at a dump of 20 GB hears Ctrl-C at once', async () => {
  const tiny = tinyRun();
  const experiments = path.join(tiny.folder, 'experiments');
  const dump = path.join(experiments, 'app.dump');
  writeFileSync(dump, 'PGDMP');
  // It has no block on the disk.
  truncateSync(dump, 20e9);
  writeFileSync(path.join(experiments, 'look.sql'), 'SELECT 1;\n');
  const { scale: _, ...workload } = tinyExperiment.workload;
  tiny.define({
    ...tinyExperiment,
    workload: { ...workload, tool: 'own-data', load: { dump: 'app.dump' }, scripts: [{ file: 'look.sql' }] },
    profiles: { local: {} },
  });
  const command = tiny.loadRun();
  const { pid = 0 } = command.process;
  await expect.poll(() => openFilesOf(pid), { timeout: 60_000, interval: 20 }).toContain(dump);
  expect(await bytesReadUntilEnd(command, 'SIGINT')).toBeLessThan(10e9);
});

it(
  'a plan hears SIGTERM while it reads scripts that somebody wrote to keep it busy',
  { timeout: 600_000 },
  async () => {
    const tiny = tinyRun();
    const files = Array.from({ length: 60 }, (_, index) => `busy-${index}.sql`);
    const [first = '', ...others] = files.map((name) => path.join(tiny.folder, 'experiments', name));
    const bytes = 2 ** 24;
    writeFileSync(first, "copy ''".repeat(bytes / 7));
    for (const other of others) linkSync(first, other);
    const workload = { ...tinyExperiment.workload, scripts: files.map((file) => ({ file })) };
    tiny.define({ ...tinyExperiment, workload, profiles: { local: {} } });
    const command = tiny.run('plan', 'tiny', '--local', '--volumes', 'folders');
    const { pid = 0 } = command.process;
    const before = 2 * bytes;
    await expect.poll(() => bytesReadBy(pid), { timeout: 300_000, interval: 20 }).toBeGreaterThan(before);
    // Otherwise it would have read all of them first.
    expect(await bytesReadUntilEnd(command, 'SIGTERM')).toBeLessThan((files.length * bytes) / 3);
  },
);

/** What a command has read of any files when a signal has ended it. */
async function bytesReadUntilEnd({ process: child, ended }: CommandLine, signal: NodeJS.Signals): Promise<number> {
  child.kill(signal);
  let read = 0;
  const watching = setInterval(() => (read = Math.max(read, bytesReadBy(child.pid ?? 0))), 20);
  const { exitCode, stderr } = await ended.finally(() => clearInterval(watching));
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: expect.stringContaining(signal) as string });
  return read;
}

/** Of any files; 0 once it has ended. */
function bytesReadBy(pid: number): number {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((descriptor) => {
    try {
      return [readlinkSync(path.join(folder, descriptor))];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}
