import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Comparison } from '../../../runner/contract/comparison.ts';
import type { Result } from '../../../runner/contract/result.ts';
import { runCommandLine } from '../fakes/fake-io.ts';
import { pgbenchOutput } from './pgbench-output.ts';
import { saveResult } from './saved-sample.ts';

/** What `pgduet compare` printed. */
export interface PrintedComparison {
  stdout: string;
  /** As `stdout`, without the breaks of lines. */
  text: string;
  /** Without the breaks of lines. */
  stderr: string;
  failed: boolean;
}

/** A folder for each test, in which results and outputs lie that `pgduet compare` can name. */
export function workingFolder(): {
  folder: () => string;
  save: (name: string, content: string | Result) => Promise<void>;
  /** Saves a raw output for each throughput, and gives their names as `compare` takes them. */
  saveOutputs: (prefix: string, throughputs: readonly number[]) => Promise<string>;
  compare: (...words: string[]) => Promise<PrintedComparison>;
  /** The comparisons that decide. */
  primaries: (...words: string[]) => Promise<Comparison[]>;
} {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'pgduet-compare-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const save = async (name: string, content: string | Result): Promise<void> => {
    const file = path.join(folder, name);
    return typeof content === 'string' ? writeFile(file, content) : saveResult(file, content);
  };
  const compare = async (...words: string[]): Promise<PrintedComparison> => {
    const { stdout, stderr, exitCode } = await runCommandLine(['compare', ...words], {
      workingFolder: folder,
      columns: 100,
    });
    return { stdout, text: unbroken(stdout), stderr: unbroken(stderr), failed: exitCode === 2 };
  };
  return {
    folder: () => folder,
    save,
    compare,
    async saveOutputs(prefix, throughputs) {
      const names = throughputs.map((_, index) => `${prefix}${index + 1}.log`);
      for (const [index, tps] of throughputs.entries()) await save(names[index] ?? '', pgbenchOutput({ tps }));
      return names.join(',');
    },
    async primaries(...words) {
      const { stdout } = await compare(...words, '--json');
      return (JSON.parse(stdout) as Comparison[]).filter(({ primary }) => primary);
    },
  };
}

function unbroken(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
