import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { overheadExperiment } from '../../../bench/overhead/experiment.ts';
import { runPlainPgbench } from '../../../bench/overhead/plain.ts';
import { pgbenchGenerator } from '../../../runner/workloads/pgbench/generator.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

/** What pgbench printed in a run of a given time. */
const output = path.resolve(import.meta.dirname, '../../fixtures/pgbench/15.18/plain-timed.out');

describe('plain pgbench', () => {
  const temporary = ownTemporaryFolder();

  it.each([[['transaction-log']], [[]]])(
    'is the program that the generator starts, in all that it is given: %j',
    async (collect) => {
      const folder = path.join(temporary(), 'trial');
      mkdirSync(folder);
      // The generator's program may run as another user.
      const calls = path.join(temporary(), 'calls');
      writeFileSync(calls, '');
      chmodSync(calls, 0o666);
      // Everything that a program receives from who starts it.
      const program = `#!/bin/sh\n{ pwd; printf '%s\\n' "$0" "$@"; env | sort; echo ---; } >> ${calls}\ncat ${output}\n`;
      writeFileSync(path.join(temporary(), 'pgbench'), program, { mode: 0o755 });
      const { workload } = overheadExperiment({ seconds: 2, script: 'select-only' });
      const options = { workload, scriptFolder: folder, programs: temporary(), collect };
      const target = {
        server: 'server',
        host: '127.0.0.1',
        port: 5432,
        user: 'postgres',
        database: 'pgduet',
        environment: { PGPASSFILE: '/nowhere' },
      };
      const request = { folder, seed: 7, signal: new AbortController().signal };

      const { measures } = await pgbenchGenerator(options).measure(target, { ...request, onProgress: () => undefined });
      expect(await runPlainPgbench(options, target, request)).toBe(measures['tps']);
      const [measured, plain] = readFileSync(calls, 'utf8').split('---\n');
      expect(plain).toBe(measured);
      expect(plain?.includes('--log\n')).toBe(collect.length > 0);
    },
  );
});
