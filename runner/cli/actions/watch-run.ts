import type { Bucket } from '../../aws/bucket.ts';
import { preflightName, type PreflightObject } from '../../contract/preflight.ts';
import { UserError } from '../../contract/errors.ts';
import { parseRunStatus, type RunStatus, statusName } from '../../contract/status.ts';
import type { Io } from '../io.ts';
import { currentLine, stepWords, trialLine } from '../../report/terminal/status-text.ts';
import { wrapLines } from '../../report/terminal/wrap.ts';

const intervalSeconds = 5;

/**
 * Shows a deployed run by its status in S3, until the run ends. On a terminal, the last line is drawn over. Trials and
 * problems stay, and each is shown once.
 *
 * @param pause resolves after this number of seconds, or rejects when the signal aborts
 * @returns the last status
 */
export async function watchRun(
  bucket: Bucket,
  io: Io,
  {
    deploy,
    now,
    pause,
  }: {
    /** The deploy whose run is waited for, as its binding names it; null for any. */
    deploy: string | null;
    now: () => Date;
    pause: (seconds: number, signal: AbortSignal) => Promise<void>;
  },
): Promise<RunStatus> {
  const shown = new Set<string>();
  let step = '';
  const write = (line: string): void => {
    io.statusLine?.clear();
    io.stderr.write(`${wrapLines(line, io.columns)}\n`);
  };
  const say = (line: string): void => {
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
      const status = await readStatus(bucket);
      if (status === null) {
        await demandPreflight(bucket);
        say(`Nothing has been measured yet below ${bucket.location}; waiting for the driver.`);
      } else {
        for (const trial of status.trials) say(trialLine(trial, status.plannedTrials, io.colour));
        for (const problem of status.problems) say(`problem: ${problem}`);
        const replaced = deploy !== null && status.deploy !== null && status.deploy !== deploy;
        if (hasEnded(status)) {
          if (!replaced) return status;
          say(`The run of an earlier deploy has ended (${status.state}); waiting for the driver to begin the next.`);
        }
        if (status.state === 'interrupted') say('Interrupted; it goes on when the driver starts again.');
        if (hasEnded(status)) io.statusLine?.clear();
        else if (io.statusLine) io.statusLine.show(currentLine(status, now()));
        else if (status.current) sayStep(stepWords(status.current, status.plannedTrials).join('  '));
      }
      await pause(intervalSeconds, io.signal);
    }
  } finally {
    io.statusLine?.clear();
  }
}

/** null if the driver has not begun yet. */
export async function readStatus(bucket: Bucket): Promise<RunStatus | null> {
  const text = await bucket.readText(statusName);
  return text === null ? null : parseRunStatus(text, `${bucket.location}${statusName}`);
}

/** @throws {UserError} if the pre-flight on the driver failed: the driver will not measure then */
async function demandPreflight(bucket: Bucket): Promise<void> {
  const text = await bucket.readText(preflightName);
  if (text === null) return;
  const { endedAt, outcomes } = JSON.parse(text) as PreflightObject;
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  if (endedAt === null || problems.length === 0) return;
  throw new UserError(
    ['The pre-flight on the driver failed:', ...problems.map((problem) => `  ${problem}`)].join('\n'),
  );
}

function hasEnded({ state }: RunStatus): boolean {
  return state !== 'running' && state !== 'interrupted';
}
