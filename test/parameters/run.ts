import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../../runner/contract/result.ts';
import { commandLine } from '../helpers/processes/command-line.ts';
import type { Drawn } from './parameters.ts';

/** How a run ended, and what it left. */
export interface Ended {
  exitCode: number | null;
  stderr: string;
  result: Result | null;
  report: string;
  /** What pgbench printed, by the id of the trial. */
  printed: ReadonlyMap<string, string>;
}

/** Of each transaction: how long it sleeps, and how many rows it sorts on disk. */
export const asleepSeconds = 0.01;
const script = `\\set aid random(1, 100000 * :scale)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;
SELECT pg_sleep(${asleepSeconds});
SELECT count(*) FROM (SELECT g FROM generate_series(1, 3000) g ORDER BY g % 7) AS sorted;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (1, 1, :aid, 1, CURRENT_TIMESTAMP);
END;
`;

export const load = { clients: 3, rate: 60, durationSeconds: 3, scale: 1 };

/** Both sides take the same load at a fixed rate; only the second has the parameters. */
function experimentOf(parameters: readonly Drawn[]): object {
  return {
    name: 'parameters',
    question: 'Is everything that the report says of a server true?',
    common: {
      storage: { type: 'local', sizeGib: 1 },
      // Small sorts go to disk, and a checkpoint comes about every second.
      engine: {
        parameters: {
          autovacuum: false,
          work_mem: '64kB',
          shared_buffers: '16MB',
          max_wal_size: '2MB',
          min_wal_size: '2MB',
          wal_segment_size: '1MB',
        },
      },
    },
    variants: {
      one: {},
      two: { engine: { parameters: Object.fromEntries(parameters.map(({ name, value }) => [name, value])) } },
    },
    baseline: 'one',
    workload: {
      tool: 'pgbench',
      ...load,
      threads: 1,
      scripts: [{ file: 'transaction.sql' }],
    },
    protocol: { blocks: 1, warmUpSeconds: 0, repeats: 0 },
    profiles: { local: {} },
  };
}

/** A hung run is a finding, too. */
const longestSeconds = 240;

export async function runWith(parameters: readonly Drawn[], signal: AbortSignal): Promise<Ended> {
  signal.throwIfAborted();
  const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-parameters-'));
  try {
    const [own, temporary] = [path.join(folder, 'experiment'), path.join(folder, 'tmp')];
    for (const one of [own, temporary]) mkdirSync(one);
    // The servers run as another user.
    chmodSync(folder, 0o711);
    chmodSync(temporary, 0o1777);
    writeFileSync(path.join(own, 'transaction.sql'), script);
    const file = path.join(own, 'parameters.yaml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(experimentOf(parameters)));
    const results = path.join(folder, 'results');
    const { process: child, ended } = commandLine(
      ['load-run', file, '--local', '--volumes', 'folders', '--out', results],
      { cwd: own, temporary },
    );
    const end = (): boolean => child.kill('SIGTERM');
    signal.addEventListener('abort', end, { once: true });
    const limit = new AbortController();
    const after = (seconds: number, act: () => void): void =>
      void sleep(seconds * 1000, undefined, { signal: limit.signal, ref: false }).then(act, () => undefined);
    after(longestSeconds, end);
    after(longestSeconds + 30, () => child.kill('SIGKILL'));
    const { exitCode, stderr } = await ended;
    limit.abort();
    signal.removeEventListener('abort', end);
    signal.throwIfAborted();
    return { exitCode, stderr, ...leftIn(path.join(results, 'parameters/latest')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function leftIn(run: string): Pick<Ended, 'result' | 'report' | 'printed'> {
  const read = (file: string): string | null => {
    try {
      return readFileSync(path.join(run, file), 'utf8');
    } catch {
      return null;
    }
  };
  const text = read('result.json');
  const result = text === null ? null : (JSON.parse(text) as Result);
  const printed = (result?.trials ?? []).flatMap(({ id }): [string, string][] => {
    const names = readdirSync(path.join(run, 'trials', id)).filter(
      (name) => name.startsWith('pgbench') && /(stdout|out)/.test(name),
    );
    return names.flatMap((name): [string, string][] => [[id, read(path.join('trials', id, name)) ?? '']]);
  });
  return { result, report: read('report.md') ?? '', printed: new Map(printed) };
}
