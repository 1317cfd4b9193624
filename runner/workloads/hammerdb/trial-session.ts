import path from 'node:path';
import type { SeriesRow } from '../../contract/metric.ts';
import type { Target } from '../../postgres/target.ts';
import type { OnProgress } from '../tool.ts';
import { isErrorOfOurs, says } from './output/lines.ts';
import { secondsBetweenUsers } from './rules.ts';
import type { HammerdbWorkload } from './schema.ts';
import { counterSeconds, runScript } from './script/run.ts';
import { type Session, startSession } from './session.ts';

/** Beyond ramp-up and measured part: for users that are made and end, and for the times of their procedures. */
const limitMarginSeconds = 300;

/** The process of one trial. Its ramp-up is the trial's warm-up, and it goes on in the measured part. */
export interface TrialSession extends Session {
  pid: Promise<number>;
  /** From now on, what comes belongs to the measured part. */
  beginMeasuring(onProgress: OnProgress): void;
  /** Time of the process before the measured part. */
  secondsBefore(): number;
  /** Length of the measured part by its lines; null if they did not come. */
  measuredSeconds(): number | null;
  /** The transaction counter in the measured part. */
  series(): SeriesRow[];
}

/** File in the folder of the trial with all lines of the process. */
export const logFile = 'hammerdb.log';

export function startTrialSession(
  target: Target,
  { install, workload }: { install: string; workload: HammerdbWorkload },
  {
    folder,
    rampUpSeconds,
    signal,
    onProgress,
  }: {
    folder: string;
    rampUpSeconds: number;
    signal: AbortSignal;
    onProgress: OnProgress;
  },
): TrialSession {
  const now = (): number => performance.now() / 1000;
  const times: { ramped?: number; measured?: number } = {};
  const counted: SeriesRow[] = [];
  const started = now();
  let begun = started;
  let measuring = false;
  let report = onProgress;
  let onStart: (pid: number) => void = () => undefined;
  const pid = new Promise<number>((resolve) => (onStart = resolve));
  function onLine(line: string): void {
    const second = now() - begun;
    if (says.rampedUp.test(line)) times.ramped = now();
    if (says.measured.test(line)) times.measured = now();
    const [, tpm] = says.counter.exec(line) ?? [];
    if (tpm === undefined) return;
    report({ elapsedSeconds: second, tps: Number(tpm) / 60 });
    // A value is about the seconds before it, and stands at their middle. In the first of them, nothing was measured yet.
    const isMeasured = measuring && times.measured === undefined && second >= counterSeconds;
    if (isMeasured) counted.push({ second: Math.floor(second - counterSeconds / 2), name: 'tpm', value: Number(tpm) });
  }
  const session = startSession({
    install,
    script: runScript(target, workload, { rampUpSeconds }),
    environment: target.environment,
    limitSeconds:
      rampUpSeconds + workload.durationMinutes * 60 + workload.users * secondsBetweenUsers + limitMarginSeconds,
    isError: isErrorOfOurs,
    onLine,
    onStart,
    signal,
    log: path.join(folder, logFile),
  });
  return {
    ...session,
    pid,
    beginMeasuring(ofMeasuring) {
      begun = now();
      measuring = true;
      report = ofMeasuring;
    },
    secondsBefore: () => begun - started,
    measuredSeconds: () =>
      times.ramped === undefined || times.measured === undefined ? null : times.measured - times.ramped,
    series: () => counted,
  };
}
