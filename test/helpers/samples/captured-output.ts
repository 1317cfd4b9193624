import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../../fixtures/pgbench');

/** What pgbench printed in one captured case such as "15.18/plain"; see test/fixtures/pgbench/README.md. */
export interface CapturedOutput {
  stdout: string;
  stderr: string;
  /**
   * Both outputs in one file, as somebody may have kept them: stderr before stdout, since pgbench writes in this order if
   * stdout is a file.
   */
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
  // From 14 on, the version is printed immediately, before anything else.
  const header = /^pgbench \(.*\n/.exec(stdout)?.[0] ?? '';
  return { stdout, stderr, kept: header + stderr + stdout.slice(header.length) };
}

/** A run as expected.json has it: latencies are in milliseconds, as printed. Values that are not printed are left out. */
export interface ExpectedRun {
  clientVersion?: string;
  serverVersion?: string;
  clients?: number;
  threads?: number;
  scale?: number;
  /** Name of the script, if the run has only one. */
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

/** The expected runs by name of the case. There are none if nothing shows that the output comes from pgbench. */
export function expectedRuns(): [name: string, runs: ExpectedRun[]][] {
  const all = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Record<string, ExpectedRun[]>;
  return Object.entries(all);
}
