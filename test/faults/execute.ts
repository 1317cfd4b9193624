import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './deployed/account.ts';
import { seeBucket } from './deployed/bucket-seen.ts';
import { DeployedRun } from './deployed/deployed-run.ts';
import { strikeDeployed } from './deployed/strike.ts';
import { maxRunSeconds } from './local/experiment.ts';
import { LocalRun } from './local/local-run.ts';
import { strikeLocal } from './local/strike.ts';
import { fillerFile, loopDevicesBelow } from './machine/disks.ts';
import type { Evidence, Leftovers } from './oracle/evidence.ts';
import { readRunOnDisk, type RunOnDisk } from './oracle/run-on-disk.ts';
import type { Injection } from './plan.ts';
import type { RunUnderTest } from './run-under-test.ts';
import { instantOf, look } from './sight.ts';
import type { Strike, StrikeOnce } from './strike.ts';

/** Seconds that a run may take to end after Ctrl-C. */
const endingSeconds = 45;

/**
 * Starts a run, hits it, and waits for its end.
 *
 * @param project folder of the sources that run
 * @param folder for the run; it is there afterwards
 * @param open runs that are to be closed; this one is put there when it has begun
 */
export async function execute(
  injection: Injection,
  { open, ...where }: { project: string; folder: string; account: () => Promise<Account>; open: Set<RunUnderTest> },
): Promise<{ evidence: Evidence; run: RunUnderTest }> {
  const { target, kind } = injection;
  const { run, strikeOnce } = await begin(injection, where);
  open.add(run);
  const isInTime = await instantOf(injection, run);
  const observed = readRunOnDisk(run.latest());
  // Of what a driver writes when its power goes, nothing need be there afterwards.
  const before = target === 'driver' && kind === 'KILL' ? saved(observed) : observed;
  const { strike, at, sure, hitAt } = await hit(run, strikeOnce);
  const missed = strike ? null : isInTime ? 'nothing was there' : 'it was over';

  let interrupted = kind === 'vanish' && target === 'runner';
  await endsWithin(run, interrupted ? endingSeconds : waitSeconds(injection, strike, run));
  if (!run.command.hasEnded()) {
    interrupted = true;
    run.command.child.kill('SIGINT');
    await endsWithin(run, endingSeconds);
  }
  const ended = run.command.hasEnded() ? await run.command.ended : null;
  const isKilled = strike !== null && target === 'runner' && kind === 'KILL';
  const cleaned = isKilled ? await run.another('clean').ended : null;
  const evidence: Evidence = {
    injection,
    strike,
    missed,
    at,
    sure,
    before,
    ended,
    interrupted,
    cleaned,
    after: readRunOnDisk(run.latest()),
    left: await leftOf(run, { killed: isKilled }),
    bucket: run instanceof DeployedRun ? seeBucket(run) : null,
    seconds: (Date.now() - hitAt) / 1000,
  };
  return { evidence, run };
}

/** Without the trial that began last, which may be on its way to the disk: another one begins when it is there. */
function saved(run: RunOnDisk): RunOnDisk {
  const ids = [...run.trials.keys()].sort();
  return { ...run, trials: new Map([...run.trials].filter(([id]) => run.result !== null || id !== ids.at(-1))) };
}

interface Begun {
  run: RunUnderTest;
  strikeOnce: StrikeOnce;
}

async function begin(
  injection: Injection,
  { project, folder, account }: Omit<Parameters<typeof execute>[1], 'open'>,
): Promise<Begun> {
  const { target, kind, place } = injection;
  const isFull = kind === 'full';
  if (place === 'deployed') {
    const disk = isFull ? 'small' : target === 'driver' && kind === 'KILL' ? 'cuttable' : 'ordinary';
    const run = await DeployedRun.begin(project, folder, await account(), disk);
    return { run, strikeOnce: () => strikeDeployed(run, injection) };
  }
  const small = !isFull ? null : target === 'runner' || target === 'pgbench' ? 'results' : 'tmp';
  const run = await LocalRun.start(project, folder, { volumes: place, small });
  return { run, strikeOnce: () => strikeLocal(run, injection) };
}

type Hit = Pick<Evidence, 'strike' | 'at' | 'sure'> & { hitAt: number };

/** Hits the target as soon as it is there. Without a strike, the run has ended before that. */
async function hit(run: RunUnderTest, strikeOnce: StrikeOnce): Promise<Hit> {
  for (;;) {
    const [at, hitAt] = [look(run), Date.now()];
    const strike = run.command.hasEnded() ? null : await strikeOnce();
    if (strike || run.command.hasEnded()) return { strike, at, sure: look(run).trial === at.trial, hitAt };
    await sleep(10);
  }
}

/** Waits for the end; on a driver, also for that of what systemd starts after it. */
async function endsWithin(run: RunUnderTest, seconds: number): Promise<void> {
  const over = new AbortController();
  const end = Date.now() + seconds * 1000;
  do {
    const pause = sleep(Math.max(end - Date.now(), 0), undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([run.command.ended, pause]);
  } while (run.command.hasEnded() && run instanceof DeployedRun && Date.now() < end && run.startAgain());
  over.abort();
}

/** Whoever waits for something that hangs presses Ctrl-C soon; otherwise the run has its usual time. */
function waitSeconds(
  { place, target, kind, patienceSeconds }: Injection,
  strike: Strike | null,
  run: RunUnderTest,
): number {
  // A log, a terminal or a monitor that is gone holds nothing up.
  const serverIsAway = target === 'server' && (kind === 'vanish' || kind === 'refuse');
  const hangs = place !== 'deployed' && strike?.lasting === true && (kind === 'STOP' || serverIsAway);
  if (hangs) return patienceSeconds;
  return Math.max(maxRunSeconds[place] - run.ageSeconds(), 0) + busySeconds;
}

/** What a run may need more on a busy machine, or to try again what has failed. */
const busySeconds = 30;

async function leftOf(run: RunUnderTest, { killed }: { killed: boolean }): Promise<Leftovers> {
  // The kernel takes a moment to end what has been killed.
  for (let look = 0; look < 20 && run.processes().length > 0; look++) await sleep(50);
  // A run that never began leaves not even an empty folder.
  const locks = (existsSync(run.results) ? readdirSync(run.results) : []).filter((name) => name.includes('.lock'));
  return {
    processes: run.processes().map(({ pid, args }) => `${pid} ${args.join(' ').trim()}`),
    mounts: run.mounts(),
    loopDevices: loopDevicesBelow(run.folder),
    // The lock of a killed run counts no longer, and the next run takes it.
    files: [...readdirSync(run.temporary), ...(killed ? [] : locks)].filter((name) => name !== fillerFile),
  };
}
