import { unlessUserError, UserError } from '../../contract/errors.ts';
import { hasEnded, type RunStatus, withoutFigures } from '../../contract/status.ts';
import { type Io, say } from '../io.ts';
import { requireTerminal, serveWatched } from './serve-live.ts';
import { currentLine, endLine, stepWords, trialLine } from '../../report/terminal/status-text.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import type { FoundBinding } from '../../rds/driver/binding.ts';
import { asDeployed } from '../../rds/driver/status.ts';
import { pauseSeconds } from '../../run/time-limit.ts';
import type { WatchedDeploy } from '../../rds/bucket/bucket-run.ts';
import type { Declare } from '../verb.ts';
import { describeArguments, liveOption } from '../options.ts';
import { isRemote } from '../../storage/run-store.ts';

export interface WatchOptions {
  owner?: string;
  region?: string;
  blind?: true;
  live?: true;
  json?: true;
}

export async function watch(experiment: string, options: WatchOptions, io: Io): Promise<void> {
  if (options.live) requireTerminal(io);
  const { watched, deployed } = await whatIsWatched(experiment, options, io);
  if (options.json) {
    const status = await watched.readStatus();
    if (status === null)
      throw new UserError(
        `${watched.location} has no status yet: the driver has not started. Try again in a few minutes.`,
      );
    io.stdout.write(`${JSON.stringify(options.blind ? withoutFigures(status) : status, null, 2)}\n`);
    return;
  }
  const live = options.live ? await serveWatched(watched, options, io) : null;
  let status: RunStatus;
  try {
    status = await watchRun(watched, io, {
      deploy: deployed?.binding.deploy ?? null,
      blind: options.blind === true,
      onStatus: live?.show,
      now: () => new Date(),
      pause: pauseSeconds,
    });
    await live?.showResult(status);
  } finally {
    await live?.end();
  }
  if (deployed) status = asDeployed(status, deployed.binding, await expiryNow(deployed));
  io.stdout.write(`${wrapLines(currentLine(status, new Date()), io.columns)}\n`);
  io.stdout.write(`${wrapLines(endLine(status, new Date()), io.columns)}\n`);
  if (status.run !== null) io.stdout.write(`${watched.location}${status.run}report.html\n`);
  if (status.state !== 'finished') io.setExitCode(1);
}

async function whatIsWatched(
  what: string,
  options: WatchOptions,
  io: Io,
): Promise<{ watched: WatchedDeploy; deployed: FoundBinding | null }> {
  const { watchedAt, watchedDeploy } = await import('../../rds/bucket/bucket-run.ts');
  if (isRemote(what)) return { watched: await watchedAt(what, io.signal, options.region), deployed: null };
  const { findBinding } = await import('../../rds/driver/binding.ts');
  const deployed = await findBinding(what, options, io);
  return { watched: watchedDeploy(deployed.clients.s3, deployed.binding.results), deployed };
}

/** When the stack expires by its last deploy; null if it does not, or if CloudFormation does not say when it was made. */
async function expiryNow({ binding, clients }: FoundBinding): Promise<Date | null> {
  const { describeStackTimes } = await import('../../rds/place/describe-stack.ts');
  const times = await describeStackTimes(clients.cloudFormation, binding).catch(unlessUserError);
  return times && times.expiresAt;
}

const intervalSeconds = 5;

/**
 * Shows a deployed run from its status in S3, until the run has ended and all of its results are there. On a terminal,
 * the last line is redrawn in place. Trials and problems stay, and each is shown once.
 *
 * @param pause resolves after this number of seconds, or rejects when the signal aborts
 * @returns the last status
 */
export async function watchRun(
  { location, readStatus }: WatchedDeploy,
  io: Io,
  {
    deploy,
    blind = false,
    onStatus,
    now,
    pause,
  }: {
    /** The deploy whose run to wait for, as its binding names it; null for any. */
    deploy: string | null;
    /** Hides throughput and latency. @default false */
    blind?: boolean;
    /** Receives each status of the run. @default nobody does */
    onStatus?: ((status: RunStatus) => Promise<void>) | undefined;
    now: () => Date;
    pause: (seconds: number, signal: AbortSignal) => Promise<void>;
  },
): Promise<RunStatus> {
  const shown = new Set<string>();
  let step = '';
  const write = (line: string): void => {
    io.statusLine?.clear();
    say(line, io);
  };
  const sayOnce = (line: string): void => {
    if (!shown.has(line)) write(line);
    shown.add(line);
  };
  // A step may come more than once in a run.
  const sayStep = (line: string): void => {
    if (line !== step) write(line);
    step = line;
  };
  try {
    for (;;) {
      const found = await readStatus();
      const status = found && blind ? withoutFigures(found) : found;
      if (status === null) {
        sayOnce(`No measurements yet under ${location}; waiting for the driver.`);
      } else {
        for (const trial of status.trials) {
          sayOnce(`${trial.endedAt.slice(11, 19)}  ${trialLine(trial, status.plannedTrials, io.colour)}`);
        }
        for (const problem of status.problems) sayOnce(`problem: ${problem}`);
        if (hasEnded(status)) {
          const replaced = deploy !== null && status.deploy !== deploy;
          if (replaced)
            sayOnce(
              `An earlier deploy’s run has ended (${status.state}); waiting for the driver to start the next one.`,
            );
          else if (status.saved !== null) return status;
          else
            sayOnce(
              `The run has ended (${status.state}), but some results are not in S3 yet. The stack stays until they are, or until it expires.`,
            );
        }
        if (status.state === 'interrupted') sayOnce('Interrupted; the run continues when the driver restarts.');
        if (hasEnded(status)) io.statusLine?.clear();
        else if (io.statusLine) io.statusLine.show(currentLine(status, now()));
        else if (status.current) sayStep(stepWords(status.current, status.plannedTrials).join('  '));
        await onStatus?.(status);
      }
      await pause(intervalSeconds, io.signal);
    }
  } finally {
    io.statusLine?.clear();
  }
}

export const declare: Declare = (command, io) => {
  describeArguments(command, 'deployed experiment, or the s3:// address in the stack output Results');
  command
    .option('--owner <who>', 'who deployed (default: your login name)')
    .option('--region <name>', 'Region of the deploy')
    .option('--blind', 'hide throughput and latency')
    .addOption(liveOption())
    .option('--json', 'print the current status as JSON')
    .action((experiment: string, options: WatchOptions) => watch(experiment, options, io));
};
