import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { digest } from '../../runner/cli/actions/digest.ts';
import { parse } from '../../runner/cli/actions/parse.ts';
import { UserError } from '../../runner/contract/errors.ts';
import type { LatencyDigest, ToolRun } from '../../runner/contract/tool-output.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';
import { recorded } from './corpus.ts';
import { readLogs } from './judge-logs.ts';
import { OutputJudge } from './judge-output.ts';
import type { Mutant } from './mutants.ts';

export const outcomes = ['refused', 'incomplete', 'valid'] as const;

export interface Reading {
  /** It was refused; it was read, but not called complete; it is another valid file. */
  outcome: (typeof outcomes)[number];
  /** What is wrong with how it was read; null if nothing. */
  objection: string | null;
}

const judge = new OutputJudge(
  recorded()
    .filter(({ kind }) => kind === 'output')
    .map(({ files }) => String(files[0])),
);

/** Reads a mutant as `pgduet parse` and `pgduet digest` do, from files in a folder, and holds what they say against a judge. */
export async function readMutant(mutant: Mutant, folder: string): Promise<Reading> {
  const paths = mutant.files.map(({ bytes, gzipped }, index) => {
    const file = path.join(folder, `file-${index}${gzipped ? '.gz' : ''}`);
    writeFileSync(file, bytes);
    return file;
  });
  return mutant.kind === 'output' ? readAsOutput(mutant, paths) : readAsLogs(mutant, paths);
}

async function readAsOutput({ files, inWords }: Mutant, paths: string[]): Promise<Reading> {
  const runs = await jsonOf<ToolRun[]>((io) => parse(paths, { json: true }, io));
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
  const losses = (found.problems ?? []).filter(
    (problem) => !problem.startsWith('aggregated over more than one second'),
  );
  const whole = losses.length === 0;
  const outcome = whole ? 'valid' : 'incomplete';
  if (expected === null) return { outcome, objection: whole || found.exact ? 'called complete, but is damaged' : null };
  if (!whole || found.exact !== expected.isExact) {
    return { outcome, objection: `called incomplete, but is valid: ${losses.join('; ')}` };
  }
  const micros = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds * 1e6));
  const { p50, p999, max } = found.latencySeconds;
  const figures = {
    isExact: expected.isExact,
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
