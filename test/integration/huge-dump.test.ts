import { readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { tinyExperiment, TinyRun } from '../helpers/processes/tiny-run.ts';

it('a command that looks at a dump of 20 GB hears Ctrl-C at once', async () => {
  const tiny = new TinyRun();
  try {
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
    const command = tiny.run('load-run', 'tiny', '--local', '--volumes', 'folders');
    const { pid } = command.process;
    await vi.waitFor(() => expect(openFilesOf(pid ?? 0)).toContain(dump), { timeout: 60_000, interval: 20 });
    const startedAt = performance.now();
    command.process.kill('SIGINT');
    const { exitCode, stderr } = await command.ended;
    expect((performance.now() - startedAt) / 1000).toBeLessThan(3);
    expect(stderr).toContain('interrupted by SIGINT');
    expect(exitCode).toBe(130);
  } finally {
    tiny.remove();
  }
});

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
