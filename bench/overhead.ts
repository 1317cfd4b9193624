import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { UserError } from '../runner/contract/errors.ts';
import { drawOrders } from '../runner/experiment/plan/draws.ts';
import { maxClients } from '../runner/experiment/plan/design.ts';
import { makePlan } from '../runner/experiment/plan/plan.ts';
import { opener } from '../runner/places/local/open.ts';
import { makeOwnedFolder } from '../runner/process/owned-folder.ts';
import { describeDriver } from '../runner/run/driver.ts';
import { pauseSeconds } from '../runner/run/time-limit.ts';
import { runFolder } from '../runner/storage/run-folder.ts';
import { type Arms, openArms } from './overhead/arms.ts';
import { describeOverhead, type Overhead } from './overhead/describe.ts';
import { overheadExperiment } from './overhead/experiment.ts';
import { type Arm, decidingRatios, isEnough, type Measured, obstacles, type Round } from './overhead/judge.ts';
import { busyShareDuring } from './overhead/machine.ts';
import { type OverheadOptions, parseOutputOptions, parseOverheadOptions } from './overhead/options.ts';
import { measureOutput } from './overhead/output.ts';

/** Pause before each measurement, in which nothing of ours works. */
const restSeconds = 0.5;

/**
 * Measures what collecting evidence costs. One server, whose limit is the processor, gets the same load with all
 * collectors, without those that may be left out, and from plain pgbench. They take turns in random order, round by
 * round, until the intervals of their ratios are narrow enough. The exit code is 1 if the bench does not show that
 * collecting costs (almost) nothing. Needs PostgreSQL and a quiet machine.
 *
 * @param args --seconds S of each measurement, --rounds N at most, --script NAME, --without-log; or `output`, and then --seconds S,
 * --blocks N, --gigabytes N: see `measureOutput`
 */
export async function benchOverhead(...args: string[]): Promise<void> {
  const signal = interruptions();
  try {
    if (args[0] === 'output') {
      const { text, isShown } = await measureOutput(parseOutputOptions(args.slice(1)), say, signal);
      process.stdout.write(`${text}\n`);
      if (!isShown) process.exitCode = 1;
      return;
    }
    const found = await measureOverhead(parseOverheadOptions(args), signal);
    process.stdout.write(`${describeOverhead(found)}\n`);
    if (obstacles(found.rounds).length > 0) process.exitCode = 1;
  } catch (error) {
    if (!signal.aborted && !(error instanceof UserError)) throw error;
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = signal.aborted ? 130 : 2;
  }
}

async function measureOverhead(options: OverheadOptions, signal: AbortSignal): Promise<Overhead> {
  const [loadBefore = 0] = loadavg();
  const { experiment, workload } = overheadExperiment(options);
  await opener.cleanUp(say, signal);
  const { programs, open } = await opener.prepare(experiment, {
    clients: maxClients(experiment),
    volumes: 'folders',
    kept: false,
    environment: process.env,
    say,
    warn: say,
    signal,
  });
  const { path: folder } = makeOwnedFolder();
  try {
    const place = await open();
    try {
      const store = runFolder(folder, folder);
      // The experiment does not come from a file.
      const inputs = { file: path.join(folder, 'overhead.yaml'), text: '' };
      const shared = {
        plan: makePlan(experiment, 'full'),
        place,
        store,
        steps: [],
        signal,
        startedAt: new Date(),
        openPlace: open,
        openStore: () => store,
        report: () => undefined,
        pause: pauseSeconds,
        driver: await describeDriver(experiment, { programs, folder }, inputs, signal),
        now: () => new Date(),
        inputs,
        programs,
        kept: {
          scriptFolder: folder,
          experimentFile: 'overhead.yaml',
          requireUnchanged: () => Promise.resolve(),
          requireUntouched: () => Promise.resolve(),
        },
        foundAgain: { settings: new Map(), shapes: new Map() },
        tried: new Map(),
        stages: { load: true, run: true },
        earlier: null,
        isResumed: false,
        say: () => undefined,
        profile: 'full',
      };
      const arms = openArms(shared, { experiment, workload, programs });
      say('Loading ...');
      await arms.prepare();
      const names: Arm[] = ['on', 'off', 'plain', ...(options.withoutLog ? (['no-log'] as const) : [])];
      const { rounds, busyAtRest } = await measureRounds(arms, names, options.rounds, signal);
      return {
        place: place.description,
        rounds,
        arms: names,
        collectors: arms.collectors,
        seconds: options.seconds,
        workload: arms.words,
        machine: { loadBefore, loadAfter: loadavg()[0] ?? 0, busyAtRest },
      };
    } finally {
      await place.close({ keep: false });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureRounds(arms: Arms, names: readonly Arm[], max: number, signal: AbortSignal) {
  const orders = drawOrders(names, { blocks: max, order: 'random', seed: randomInt(2 ** 32) });
  const rounds: Round[] = [];
  const busyAtRest: number[] = [];
  for (const order of orders) {
    const round = new Map<Arm, Measured>();
    for (const [index, arm] of (order.flat() as Arm[]).entries()) {
      busyAtRest.push(await busyShareDuring(() => pauseSeconds(restSeconds, signal)));
      round.set(arm, await arms.measure(arm, rounds.length + 1, index + 1));
    }
    rounds.push(round);
    say(progressOf(rounds, max));
    if (isEnough(rounds)) break;
  }
  return { rounds, busyAtRest };
}

/** Such as `round 8 of at most 60: on 20,123, off 20,345, plain 20,401 tps; on/off 0.9891 (0.9712 to 1.0034)`. */
function progressOf(rounds: readonly Round[], max: number): string {
  const tps = [...(rounds.at(-1) ?? [])].map(([arm, { tps }]) => `${arm} ${Math.round(tps).toLocaleString('en')}`);
  const ratios = decidingRatios(rounds).flatMap(({ over, under, ratio, interval }) =>
    ratio === null || interval === null
      ? []
      : [`; ${over}/${under} ${ratio.toFixed(4)} (${interval.low.toFixed(4)} to ${interval.high.toFixed(4)})`],
  );
  return `round ${rounds.length} of at most ${max}: ${tps.join(', ')} tps${ratios.join('')}`;
}

/** Aborts on Ctrl-C and the like, and when the output cannot be written: running programs must be ended in order. */
function interruptions(): AbortSignal {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => interruption.abort(new Error(`interrupted by ${name}`)));
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: Error) => interruption.abort(error));
  }
  return interruption.signal;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
