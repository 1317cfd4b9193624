import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { capturedOutput, expectedRuns } from '../helpers/samples/captured-output.ts';

/** Something that pgbench really wrote: one output, or the logs of all threads of one run. */
export interface Recorded {
  kind: 'output' | 'logs';
  name: string;
  files: Buffer[];
}

const logs = path.resolve(import.meta.dirname, '../fixtures/pgbench-logs');

export function recorded(): Recorded[] {
  return [...outputs(), ...transactionLogs()];
}

/** stdout alone, and with stderr before it. */
function outputs(): Recorded[] {
  return expectedRuns()
    .filter(([name]) => !name.startsWith('by-hand/not-pgbench'))
    .flatMap(([name]) => {
      const { stdout, kept } = capturedOutput(name);
      return [...new Set([stdout, kept])].map((text) => ({
        kind: 'output' as const,
        name,
        files: [Buffer.from(text)],
      }));
    })
    .filter(({ files }) => files[0]?.length !== 0);
}

function transactionLogs(): Recorded[] {
  return readdirSync(logs)
    .filter((name) => /^\d/.test(name))
    .flatMap((version) => readdirSync(path.join(logs, version)).map((name) => path.join(version, name)))
    .filter((name) => existsSync(path.join(logs, name, 'pgbench_log.100')))
    .map((name) => ({
      kind: 'logs' as const,
      name,
      files: readdirSync(path.join(logs, name))
        .filter((file) => file.startsWith('pgbench_log.'))
        .map((file) => readFileSync(path.join(logs, name, file))),
    }));
}
