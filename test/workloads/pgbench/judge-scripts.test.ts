import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { requireReadable } from '../../../runner/workloads/pgbench/judge-scripts.ts';
import { pgbenchSchema, resolveLevel } from '../../../runner/workloads/pgbench/schema.ts';

/** Lets a program judge a script in the place of pgbench. */
async function judgedBy(program: string, signal = new AbortController().signal): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'judge-scripts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // The program may run as another user.
  chmodSync(folder, 0o755);
  writeFileSync(path.join(folder, 'pgbench'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  writeFileSync(path.join(folder, 'mix.sql'), 'SELECT 1;\n');
  const declared = { tool: 'pgbench', scale: 1, clients: 2, transactions: 1, scripts: [{ file: 'mix.sql' }] };
  const workload = resolveLevel(pgbenchSchema.parse(declared));
  await requireReadable(folder, { workload, scriptFolder: folder, signal, seconds: 0.2 });
}

it('scripts that take pgbench long to read are refused: it would take as long at each start', async () => {
  await expect(judgedBy('exec sleep 60')).rejects.toThrow(
    /^pgbench has not read the scripts of this workload within 0\.2 s\. Shorten them/,
  );
});

it('an interruption is not blamed on the scripts', async () => {
  const reason = new Error('Ctrl-C');
  await expect(judgedBy('exec sleep 60', AbortSignal.abort(reason))).rejects.toBe(reason);
});
