import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { digest } from '../../runner/cli/actions/digest.ts';
import { parse } from '../../runner/cli/actions/parse.ts';
import { UserError } from '../../runner/contract/errors.ts';
import type { LatencyDigest, Run } from '../../runner/contract/tool-output.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';
import { type Recorded, recorded } from './corpus.ts';
import { type LogFile, readLogs } from './judge-logs.ts';
import { OutputJudge } from './judge-output.ts';
import { mutations } from './mutations.ts';
import { type Random, randomOf } from './random.ts';

/** A mutant may take this long on a busy machine. */
const longestSeconds = 5;

export interface Violation {
  /** Makes the same mutant again. */
  mutantSeed: number;
  of: string;
  how: string[];
  what: string;
}

export interface FuzzReport {
  count: number;
  /** Mutants that were refused; that were read, but not called complete; that are another valid file. */
  refused: number;
  incomplete: number;
  valid: number;
  slowestSeconds: number;
  violations: Violation[];
}

/** Reads mutants of everything recorded as `pgduet parse` and `pgduet digest` do, and holds what they say against a judge. */
export async function fuzz(count: number, seed: number): Promise<FuzzReport> {
  const report: FuzzReport = { count, refused: 0, incomplete: 0, valid: 0, slowestSeconds: 0, violations: [] };
  await withReader(async (read) => {
    for (let index = 0; index < count; index += 1) {
      // Neighbouring seeds would make generators that resemble each other.
      const mutantSeed = (seed + Math.imul(index + 1, 0x9e3779b1)) | 0;
      const mutant = makeMutant(mutantSeed);
      const started = performance.now();
      const { outcome, objection } = await read(mutant);
      const seconds = (performance.now() - started) / 1000;
      report[outcome] += 1;
      report.slowestSeconds = Math.max(report.slowestSeconds, seconds);
      const what = objection ?? (seconds > longestSeconds ? `took ${seconds.toFixed(1)} s` : null);
      if (what !== null) report.violations.push({ mutantSeed, of: mutant.name, how: mutant.how, what });
    }
  });
  return report;
}

export interface Mutant {
  kind: Recorded['kind'];
  name: string;
  how: string[];
  files: LogFile[];
  /** Whether it is also read into a table. */
  inWords: boolean;
}

const everything = recorded();
const judge = new OutputJudge(everything.filter(({ kind }) => kind === 'output').map(({ files }) => String(files[0])));

export function makeMutant(seed: number): Mutant {
  const random = randomOf(seed);
  const kind = random.oneOf(['output', 'logs'] as const);
  const ofKind = everything.filter((item) => item.kind === kind);
  const { name, files } = random.oneOf(ofKind);
  const other = (): Buffer => random.oneOf(random.oneOf(random.below(8) ? ofKind : everything).files);
  const at = random.below(files.length);
  const gzipped = kind === 'logs' && random.below(5) === 0;
  const inside = !gzipped || random.below(2) === 0;
  const how: string[] = [];
  let file = files[at] ?? Buffer.alloc(0);
  if (gzipped && !inside) file = gzipSync(file);
  for (let left = random.oneOf([1, 1, 1, 2, 3]); left > 0; left -= 1) {
    const mutation = random.oneOf(Object.keys(mutations));
    how.push(gzipped && !inside ? `${mutation}, gzipped` : mutation);
    file = mutations[mutation]?.(file, random, other()) ?? file;
  }
  if (gzipped && inside) file = gzipSync(file);
  const mutated = files.map((bytes, index) => (index === at ? { bytes: file, gzipped } : { bytes, gzipped: false }));
  const inWords = random.below(4) === 0;
  return { kind, name, how, inWords, files: kind === 'logs' ? inDisorder(mutated, random, other, how) : mutated };
}

function inDisorder(files: LogFile[], random: Random, other: () => Buffer, how: string[]): LogFile[] {
  const what = random.below(40);
  if (what > 2) return files;
  how.push(['a file twice', 'a file of another run', 'a file left out'][what] ?? '');
  if (what === 2) return files.slice(1);
  return [...files, what === 0 ? random.oneOf(files) : { bytes: other(), gzipped: false }];
}

interface Reading {
  outcome: 'refused' | 'incomplete' | 'valid';
  objection: string | null;
}

/** Calls `act` with a reader that has a folder of its own. */
export async function withReader(act: (read: (mutant: Mutant) => Promise<Reading>) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-fuzz-'));
  try {
    await act((mutant) => {
      const paths = mutant.files.map(({ bytes, gzipped }, index) => {
        const file = path.join(folder, `file-${index}${gzipped ? '.gz' : ''}`);
        writeFileSync(file, bytes);
        return file;
      });
      return mutant.kind === 'output' ? readAsOutput(mutant, paths) : readAsLogs(mutant, paths);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function readAsOutput({ files, inWords }: Mutant, paths: string[]): Promise<Reading> {
  const runs = await jsonOf<Run[]>((io) => parse(paths, { json: true }, io));
  if (runs instanceof UserError) return { outcome: 'refused', objection: null };
  if (runs instanceof Error) return { outcome: 'refused', objection: `no UserError: ${runs.stack ?? ''}` };
  if (inWords) await parse(paths, {}, fakeIo().io);
  const outcome = runs.every(({ complete }) => complete) ? 'valid' : 'incomplete';
  const odd = runs.some(({ complete, problems }) => complete !== (problems.length === 0));
  return {
    outcome,
    objection: odd ? 'complete and problems contradict each other' : judge.object(String(files[0]?.bytes), runs),
  };
}

async function readAsLogs({ name, files, inWords }: Mutant, paths: string[]): Promise<Reading> {
  const found = await jsonOf<LatencyDigest>((io) => digest(paths, { lag: name.includes('rate'), json: true }, io));
  const expected = readLogs(files);
  if (found instanceof UserError) {
    return { outcome: 'refused', objection: expected === null ? null : `refused, although valid: ${found.message}` };
  }
  if (found instanceof Error) return { outcome: 'refused', objection: `no UserError: ${found.stack ?? ''}` };
  if (inWords) await digest(paths, {}, fakeIo().io);
  const losses = (found.problems ?? []).filter((problem) => !problem.startsWith('aggregated over more than a second'));
  const whole = losses.length === 0;
  const outcome = whole ? 'valid' : 'incomplete';
  if (expected === null) return { outcome, objection: whole || found.exact ? 'called complete, but is damaged' : null };
  if (!whole || found.exact !== expected.ofTransactions) {
    return { outcome, objection: `called incomplete, but is valid: ${losses.join('; ')}` };
  }
  const micros = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds * 1e6));
  const { p50, p999, max } = found.latencySeconds;
  const figures = {
    ofTransactions: expected.ofTransactions,
    transactions: found.transactions,
    skipped: found.skippedTransactions,
    failed: found.failedTransactions,
    p50: micros(p50),
    p999: micros(p999),
    max: micros(max),
  };
  const differs = Object.entries(figures).filter(
    ([figure, value]) => expected[figure as keyof typeof figures] !== value,
  );
  return {
    outcome,
    objection: differs.length === 0 ? null : `${JSON.stringify(figures)}; expected ${JSON.stringify(expected)}`,
  };
}

/** What a command printed as JSON, or the error that it threw. */
async function jsonOf<Value>(act: (io: ReturnType<typeof fakeIo>['io']) => Promise<void>): Promise<Value | Error> {
  const { io, printed } = fakeIo();
  try {
    await act(io);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  return JSON.parse(printed().stdout) as Value;
}
