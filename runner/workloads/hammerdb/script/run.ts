import type { Target } from '../../../postgres/target.ts';
import type { HammerdbWorkload } from '../schema.ts';
import { asScript, connectionCommands } from './connection.ts';

/** How long HammerDB waits after the measured part for its users to end, before it ends them. */
const marginSeconds = 120;
/** Seconds from one value of the transaction counter to the next. */
export const counterSeconds = 10;

/** What HammerDB tells about a run afterwards, in JSON. */
export const answers = ['result', 'timing', 'tcount', 'status'] as const;

/** The script of a timed run, with the ramp-up before it. */
export function runScript(
  target: Target,
  workload: HammerdbWorkload,
  { rampUpSeconds }: { rampUpSeconds: number },
): string {
  return asScript([
    ...connectionCommands(target),
    'diset tpcc pg_driver timed',
    'diset tpcc pg_total_iterations 10000000',
    `diset tpcc pg_rampup ${rampUpSeconds / 60}`,
    `diset tpcc pg_duration ${workload.durationMinutes}`,
    `diset tpcc pg_allwarehouse ${workload.allWarehouses}`,
    `diset tpcc pg_keyandthink ${workload.keyingAndThinking}`,
    `diset tpcc pg_storedprocs ${workload.storedProcedures}`,
    'diset tpcc pg_timeprofile true',
    // Else a user would go on without a word when a transaction fails.
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
