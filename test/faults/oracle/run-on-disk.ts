import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FailureCode } from '../../../runner/contract/failures.ts';

/** A trial as its folder holds it. It is read by code of its own: that of the product is what is judged. */
export interface TrialOnDisk {
  id: string;
  /** The record, to the byte. */
  text: string;
  record: TrialRecord;
  /** What pgbench printed at its end; null without it. */
  output: string | null;
  /** Seconds since 1970 at which each transaction of the log ended, in order; null without a log. */
  transactions: number[] | null;
}

export interface TrialRecord {
  id: string;
  conditions: { variant: string };
  block: number;
  position: number;
  attempt: number;
  state: 'finished' | 'failed' | 'interrupted';
  startedAt: string;
  endedAt: string;
  failure: { stage: string; code: FailureCode; error: string } | null;
  measures: Record<string, number | null>;
  facts: { problems?: string[]; counterProblems?: string[]; restarted?: boolean };
  checks: { id: string; state: string; finding: string }[];
  warnings: { id: string; message: string }[];
}

export interface RunOnDisk {
  trials: Map<string, TrialOnDisk>;
  result: { complete: boolean; trials: TrialRecord[] } | null;
  /** Steps that are noted as carried out, such as `load`. */
  steps: string[];
  /** Files that cannot be read as what they should be. */
  damaged: string[];
}

export function readRunOnDisk(folder: string | null): RunOnDisk {
  const run: RunOnDisk = { trials: new Map(), result: null, steps: [], damaged: [] };
  if (folder === null) return run;
  const read = (file: string): unknown[] => {
    try {
      if (!existsSync(file)) return [];
      const text = readFileSync(file, 'utf8');
      // A last line without its end was being written.
      return (file.endsWith('.jsonl') ? text.split('\n').slice(0, -1) : [text]).map(
        (line) => JSON.parse(line) as unknown,
      );
    } catch (error) {
      run.damaged.push(`${file}: ${String(error)}`);
      return [];
    }
  };
  run.result = (read(path.join(folder, 'result.json'))[0] ?? null) as RunOnDisk['result'];
  run.steps = (read(path.join(folder, 'steps.jsonl')) as { step: string }[]).map(({ step }) => step);
  const trials = path.join(folder, 'trials');
  const manifest = path.join(folder, 'SHA256SUMS');
  const sums = existsSync(manifest) ? readFileSync(manifest, 'utf8') : '';
  // At whatever instant a run ended, its manifest contradicts nothing.
  run.damaged.push(...notAsSealed(folder, sums));
  for (const id of existsSync(trials) ? readdirSync(trials) : []) {
    const own = path.join(trials, id);
    const record = read(path.join(own, 'trial.json'))[0] as TrialRecord | undefined;
    if (!record) continue;
    // Its runner was killed between these two files: such a trial counts as cut off, and its record will say so.
    if (record.state === 'finished' && !sums.includes(`  trials/${id}/trial.json\n`)) continue;
    const output = path.join(own, 'pgbench.stdout.log');
    run.trials.set(id, {
      id,
      record,
      text: readFileSync(path.join(own, 'trial.json'), 'utf8'),
      output: existsSync(output) ? readFileSync(output, 'utf8') : null,
      transactions: readTransactions(path.join(own, 'transactions'), run.damaged),
    });
  }
  return run;
}

function notAsSealed(folder: string, sums: string): string[] {
  return sums
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const [sum, name = ''] = line.split('  ');
      const file = path.join(folder, name);
      const found = existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'missing';
      return found === sum ? [] : [`${file}: not as SHA256SUMS has it (${found})`];
    });
}

function readTransactions(folder: string, damaged: string[]): number[] | null {
  const logs = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('pgbench_log.')) : [];
  if (logs.length === 0) return null;
  try {
    return logs
      .flatMap((name) => {
        const bytes = readFileSync(path.join(folder, name));
        const lines = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n').slice(0, -1);
        return lines.map((line) => {
          const [, , , , seconds, microseconds] = line.split(' ');
          return Number(seconds) + Number(microseconds) / 1e6;
        });
      })
      .sort((a, b) => a - b);
  } catch (error) {
    damaged.push(`${folder}: ${String(error)}`);
    return null;
  }
}
