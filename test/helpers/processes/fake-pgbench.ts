import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Target } from '../../../runner/postgres/target.ts';
import type { GeneratorOptions } from '../../../runner/workloads/load-generator.ts';
import { pgbenchSchema, type PgbenchWorkload, resolveLevel } from '../../../runner/workloads/pgbench/schema.ts';

export const nowhere: Target = {
  server: 'one',
  host: '127.0.0.1',
  port: 1,
  user: 'u',
  database: 'd',
  environment: {},
};

/** A folder with a program of the shell in the place of pgbench, and what it takes to put a load on with it. */
export function fakePgbench(
  script: string,
  workload: object = {},
): { folder: string; options: GeneratorOptions<PgbenchWorkload> } {
  const folder = mkdtempSync(path.join(tmpdir(), 'fake-pgbench-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // The program may run as another user, and writes there.
  chmodSync(folder, 0o777);
  writeFileSync(path.join(folder, 'pgbench'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  writeFileSync(path.join(folder, 'mix.sql'), 'SELECT 1;\n');
  const declared = { tool: 'pgbench', scale: 1, clients: 2, scripts: [{ file: 'mix.sql' }], ...workload };
  const options = { programs: folder, scriptFolder: folder, collect: [] };
  return { folder, options: { ...options, workload: resolveLevel(pgbenchSchema.parse(declared)) } };
}
