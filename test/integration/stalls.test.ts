import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, vi } from 'vitest';
import { failedChecks } from '../../runner/contract/check.ts';
import { familyOf, readProcessTimes } from '../../runner/collect/driver/proc.ts';
import type { CommandLine } from '../helpers/processes/command-line.ts';
import {
  programsBelow,
  programsIn,
  tinyExperiment,
  type TinyRun,
  testWithTiny,
} from '../helpers/processes/tiny-run.ts';

/** How often each stall is planted: `PGDUET_STALLS=10 npm run lab -- stalls` asks for ten of ten. */
const count = Number(process.env['PGDUET_STALLS'] ?? 1);
const test = testWithTiny();

interface Stall {
  what: string;
  /** Processes that are stopped while the first trial is measured. */
  stopped: (tiny: TinyRun, command: CommandLine) => number[];
  seconds: number;
  volumes?: 'limited';
  workload?: object;
  check: string;
  finding: RegExp;
}

const runner: Stall['stopped'] = (_, { process }) => [process.pid ?? NaN];
const stalls: Stall[] = [
  { what: 'the runner', stopped: runner, seconds: 4, check: 'runner', finding: /^pgduet stalled for [3-9]\.\d s$/ },
  {
    what: 'the runner, beyond the end of the trial,',
    stopped: runner,
    seconds: 14,
    check: 'runner',
    finding: /counters of the driver cover 1[5-9]\.\d s, but the load took (9|10)\.\d s/,
  },
  {
    what: 'the load generator',
    stopped: ({ folder }) => programsIn(folder, 'pgbench'),
    seconds: 4,
    check: 'silent-seconds',
    finding: /^the load generator reports every second, but sent no report for [4-9]\.\d s: it was stopped/,
  },
  {
    what: 'the load generator, which connects anew for each transaction,',
    stopped: ({ folder }) => programsIn(folder, 'pgbench'),
    seconds: 5,
    check: 'silent-seconds',
    workload: { reconnect: true },
    finding: /^the load generator was stopped for [4-9]\.\d s$/,
  },
  {
    what: 'the server',
    stopped: ({ temporary }) => [...familyOf(programsBelow(temporary, 'postgres'), readProcessTimes())],
    seconds: 4,
    check: 'silent-seconds',
    finding: /^no transaction ended for [3-9]\.\d s of 10 s: the server or its storage stalled/,
  },
  {
    what: 'the disk',
    stopped: ({ temporary }) => programsBelow(temporary, 'qemu-storage-daemon'),
    seconds: 4,
    volumes: 'limited',
    check: 'silent-seconds',
    finding: /^no transaction ended for [3-9]\.\d s of 10 s: the server or its storage stalled/,
  },
];

/** A run of two trials of ten seconds, of a load that leaves this machine room; the first trial is struck. */
async function struck(
  tiny: TinyRun,
  {
    volumes = 'folders',
    workload: changes = {},
    environment = {},
  }: { volumes?: string; workload?: object; environment?: Record<string, string> },
  strike: (command: CommandLine) => Promise<void>,
) {
  const workload = { ...tinyExperiment.workload, durationSeconds: 10, ...changes };
  const protocol = { ...tinyExperiment.protocol, blocks: 1, warmUpSeconds: 0 };
  tiny.define({ ...tinyExperiment, workload, protocol });
  const command = tiny.runAs({ environment }, 'load-run', 'tiny', '--local', '--volumes', volumes);
  const trials = path.join(tiny.folder, 'results/tiny/latest/trials');
  await vi.waitFor(
    () => {
      if (!readdirSync(trials, { recursive: true }).join().includes('pgbench_log.')) throw new Error('no trial yet');
    },
    { timeout: 90_000 },
  );
  await sleep(2000);
  await strike(command);
  await command.ended;
  // What else runs on this machine is not planted.
  return tiny
    .result()
    .trials.map(({ checks }) =>
      failedChecks(checks).flatMap(({ id, finding }) => (id === 'other-programs' ? [] : { id, finding })),
    );
}

const areMade = process.platform === 'linux' && process.getuid?.() === 0;

/** Side by side: their loads are small, and they wait for most of their time. */
describe.skipIf(process.platform !== 'linux').concurrent('a planted stall', { repeats: count - 1 }, () => {
  for (const { what, stopped, seconds, volumes, workload, check, finding } of stalls) {
    test.skipIf(volumes === 'limited' && !areMade)(
      `of ${what} is found by the check "${check}" and by no other`,
      async ({ tiny, expect }) => {
        const found = await struck(
          tiny,
          { ...(volumes && { volumes }), ...(workload && { workload }) },
          async (command) => {
            const pids = stopped(tiny, command);
            expect(pids).not.toEqual([]);
            for (const pid of pids) process.kill(pid, 'SIGSTOP');
            await sleep(seconds * 1000);
            for (const pid of pids) process.kill(pid, 'SIGCONT');
          },
        );
        expect(found).toEqual([[{ id: check, finding: expect.stringMatching(finding) as string }], []]);
      },
    );
  }

  test('of the clock, which is set, is found by the check "clock" and by no other', async ({ tiny, expect }) => {
    const preload = pathToFileURL(path.resolve(import.meta.dirname, '../helpers/processes/set-clock.mjs')).href;
    const environment = { NODE_OPTIONS: `--import=${preload}` };
    const found = await struck(tiny, { environment }, ({ process }) => {
      process.kill('SIGUSR2');
      return Promise.resolve();
    });
    expect(found).toEqual([[{ id: 'clock', finding: 'the driver’s clock stepped by 5.00 s during the trial' }], []]);
  });
});
