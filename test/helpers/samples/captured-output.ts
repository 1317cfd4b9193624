import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../../fixtures/pgbench');

/** What pgbench printed in one captured case such as "15.18/plain"; see test/fixtures/pgbench/README.md. */
export interface CapturedOutput {
  stdout: string;
  stderr: string;
  /** As somebody has it who kept both: in one file, else stderr before stdout, as it is written where stdout is a file. */
  kept: string;
}

export function capturedOutput(name: string): CapturedOutput {
  const read = (suffix: string): string => {
    const file = path.join(folder, `${name}.${suffix}`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const both = read('both');
  const stdout = both || read('out');
  const stderr = read('err');
  // From 14 on the version is written at once, before anything else.
  const header = /^pgbench \(.*\n/.exec(stdout)?.[0] ?? '';
  return { stdout, stderr, kept: header + stderr + stdout.slice(header.length) };
}

/** As expected.json has them: latencies in milliseconds as they are printed; what is not said is left out. */
export interface ExpectedRun {
  clientVersion?: string;
  serverVersion?: string;
  clients?: number;
  threads?: number;
  scale?: number;
  /** Of a run of one script alone. */
  script?: string;
  scripts?: { name: string; weight: number; transactions: number; tps?: number; latencyAverageMs?: number }[];
  transactions?: number;
  failedTransactions?: number;
  skippedTransactions?: number;
  retriedTransactions?: number;
  durationSeconds?: number;
  tps?: number;
  latencyAverageMs?: number;
  latencyStddevMs?: number;
  complete: boolean;
}

/** By name of the case; no runs where the output does not say that it is pgbench's. */
export function expectedRuns(): [name: string, runs: ExpectedRun[]][] {
  const all = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Record<string, ExpectedRun[]>;
  return Object.entries(all);
}
