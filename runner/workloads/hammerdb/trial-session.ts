import path from 'node:path';
import type { Window } from '../../collect/collector.ts';
import type { SeriesRow } from '../../contract/metric.ts';
import { type Target, throughPooler } from '../../postgres/target.ts';
import type { OnProgress } from '../load-generator.ts';
import { isErrorOfOurs, says } from './output/lines.ts';
import { type HammerdbWorkload, secondsBetweenUsers } from './schema.ts';
import { asScript, connectionCommands, type Session, startSession } from './session.ts';

/** Time beyond ramp-up and measured part: to create and end users, and to collect the times of their procedures. */
const limitMarginSeconds = 300;

/** The process of one trial. Its ramp-up is the trial's warm-up, and it continues into the measured part. */
export interface TrialSession extends Session {
  pid: Promise<number>;
  /** From now on, lines belong to the measured part. */
  beginMeasuring(onProgress: OnProgress): void;
  /** How long the process had run when the measured part began. */
  secondsBefore(): number;
  /** The measured part, from its lines, as Unix times in milliseconds; null if they are missing. */
  measuredWindow(): Window | null;
  /** The transaction counter in the measured part. */
  series(): SeriesRow[];
}

/** File in the folder of the trial with all lines of the process. */
const logFile = 'hammerdb.log';

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
    // A value covers the seconds before it, so it belongs to their middle. The first one may cover seconds before the
    // measured part, so it does not count.
    const isMeasured = measuring && times.measured === undefined && second >= counterSeconds;
    if (isMeasured) counted.push({ second: Math.floor(second - counterSeconds / 2), name: 'tpm', value: Number(tpm) });
  }
  const session = startSession({
    install,
    script: runScript(target, workload, { rampUpSeconds }),
    environment: throughPooler(target).environment,
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
    beginMeasuring(reportMeasuring) {
      begun = now();
      measuring = true;
      report = reportMeasuring;
    },
    secondsBefore: () => begun - started,
    measuredWindow() {
      const { ramped, measured } = times;
      const offset = Date.now() - now() * 1000;
      if (ramped === undefined || measured === undefined) return null;
      return { from: offset + ramped * 1000, to: offset + measured * 1000 };
    },
    series: () => counted,
  };
}

/** How long HammerDB waits after the measured part for its users to end, before it ends them. */
const marginSeconds = 120;
/** Seconds from one value of the transaction counter to the next. */
const counterSeconds = 10;

/** What HammerDB reports about a run afterwards, as JSON. */
export const answers = ['result', 'timing', 'tcount', 'status'] as const;

/** The script of a timed run, with the ramp-up before it. */
export function runScript(
  target: Target,
  workload: HammerdbWorkload,
  { rampUpSeconds }: { rampUpSeconds: number },
): string {
  return asScript([
    ...connectionCommands(throughPooler(target)),
    'diset tpcc pg_driver timed',
    'diset tpcc pg_total_iterations 10000000',
    `diset tpcc pg_rampup ${rampUpSeconds / 60}`,
    `diset tpcc pg_duration ${workload.durationMinutes}`,
    `diset tpcc pg_allwarehouse ${workload.allWarehouses}`,
    `diset tpcc pg_keyandthink ${workload.keyingAndThinking}`,
    `diset tpcc pg_storedprocs ${workload.storedProcedures}`,
    'diset tpcc pg_timeprofile true',
    // Otherwise a user would silently continue after a failed transaction.
    'diset tpcc pg_raiseerror true',
    // We vacuum and checkpoint ourselves, before each trial.
    'diset tpcc pg_vacuum false',
    `giset commandline keepalive_margin ${marginSeconds + workload.users}`,
    'giset timeprofile xt_gather_timeout 10',
    'loadscript',
    `vuset vu ${workload.users}`,
    'vucreate',
    `tcset refreshrate ${counterSeconds}`,
    'tcstart',
    'set run [vurun]',
    'tcstop',
    'vudestroy',
    'regexp {jobid=(\\S+)} $run -> job',
    `foreach answer {${answers.join(' ')}} {`,
    '  puts "JOBS-BEGIN $answer $job"',
    '  jobs $job $answer',
    '  puts "JOBS-END $answer $job"',
    '}',
  ]);
}
