import { accessSync, constants, mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeMutant } from './mutants.ts';
import { type Answered, type Bounds, ReaderProcess, tooMuchMemory } from './reader-process.ts';
import type { Reading } from './reading.ts';

/** Usual bounds. Without a mutant, a reader holds about 130 MiB. */
const defaultBounds: Bounds = { seconds: 20, memoryBytes: 512 * 2 ** 20 };
const defaultReader = path.join(import.meta.dirname, 'reader.ts');

export interface FuzzOptions {
  seed: number;
  /** Number of the first mutant, from 1, and how many are read. */
  first?: number;
  count: number;
  /** Readers that work side by side. */
  atOnce: number;
  signal?: AbortSignal;
  /** Is called after each mutant. */
  onRead?: (report: FuzzReport) => void;
  /** @default 20 s and 512 MiB */
  bounds?: Bounds;
  /** @default the one that parses and digests */
  reader?: string;
}

export interface Violation {
  /** With the seed, makes the same mutant again. */
  number: number;
  of: string;
  how: string[];
  what: string;
}

export interface FuzzReport extends Record<Reading['outcome'], number> {
  /** Mutants that were read. */
  read: number;
  slowestSeconds: number;
  peakBytes: number;
  violations: Violation[];
}

/**
 * Reads mutants of everything recorded with `pgduet parse` and `pgduet digest`, in processes that are watched. A violation is
 * an answer that the judge objects to, a crash, and a time or memory beyond the bounds.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, first = 1, count, atOnce, signal, onRead, bounds = defaultBounds, reader = defaultReader } = options;
  const report: FuzzReport = {
    read: 0,
    refused: 0,
    incomplete: 0,
    valid: 0,
    slowestSeconds: 0,
    peakBytes: 0,
    violations: [],
  };
  let next = first;
  const work = async (folder: string): Promise<void> => {
    mkdirSync(folder);
    const process = new ReaderProcess(reader, folder, bounds);
    try {
      while (next < first + count && !signal?.aborted) {
        const number = next++;
        const answered = await process.read({ seed, number }, signal);
        if (signal?.aborted) return;
        take(report, answered);
        const what = objectionTo(answered, bounds);
        if (what !== null) report.violations.push(violation(seed, number, what));
        onRead?.(report);
      }
    } finally {
      await process.close();
    }
  };
  const folder = mkdtempSync(path.join(inMemory() ?? tmpdir(), 'pgduet-fuzz-'));
  try {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => work(path.join(folder, `${index}`))));
  } finally {
    rmSync(folder, { recursive: true });
  }
  return report;
}

function take(report: FuzzReport, answered: Answered): void {
  report.read += 1;
  if (typeof answered === 'string') return;
  report[answered.outcome] += 1;
  report.slowestSeconds = Math.max(report.slowestSeconds, answered.seconds);
  report.peakBytes = Math.max(report.peakBytes, answered.peakBytes);
}

function objectionTo(answered: Answered, bounds: Bounds): string | null {
  if (typeof answered === 'string') return answered;
  return answered.peakBytes > bounds.memoryBytes ? tooMuchMemory(bounds) : answered.objection;
}

function violation(seed: number, number: number, what: string): Violation {
  const { name, how } = makeMutant(seed, number);
  return { number, of: name, how, what };
}

/** A folder that costs no disk anything; null where there is none. */
function inMemory(): string | null {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return null;
  }
}
