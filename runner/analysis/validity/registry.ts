import { commits } from './invariant/commits.ts';
import { length } from './invariant/length.ts';
import { loadedSize } from './invariant/loaded-size.ts';
import { offered } from './invariant/offered.ts';
import { silence } from './invariant/silence.ts';
import { transactionLog } from './invariant/transaction-log.ts';
import { transactionTime } from './invariant/transaction-time.ts';
import { againstControl } from '../family.ts';
import type { CheckDefinition, PairCheck, TrialCheck } from './check.ts';
import { control } from './comparison/control.ts';
import { latency } from './comparison/latency.ts';
import { notVerified } from './comparison/not-verified.ts';
import { withoutPartner } from './comparison/without-partner.ts';
import { blocks } from './pair/blocks.ts';
import { checkpointCycles } from './pair/checkpoint-cycles.ts';
import { checkpointPace } from './pair/checkpoint-pace.ts';
import { checkpoints } from './pair/checkpoints.ts';
import { deployment, serverVersion, settings, workload, zone } from './pair/differences.ts';
import { drift } from './pair/drift.ts';
import { durability } from './pair/durability.ts';
import { ends } from './pair/ends.ts';
import { logVolumes } from './pair/log-volumes.ts';
import { order } from './pair/order.ts';
import { outliers } from './pair/outliers.ts';
import { sizes } from './pair/sizes.ts';
import { totals } from './pair/totals.ts';
import { turns } from './pair/turns.ts';
import { warmUp } from './pair/warm-up.ts';
import { work } from './pair/work.ts';
import { autovacuum } from './trial/autovacuum.ts';
import { checkpointCycle } from './trial/checkpoint-cycle.ts';
import { clientTime } from './trial/client-time.ts';
import { clock } from './trial/clock.ts';
import { counters } from './trial/counters.ts';
import { driver } from './trial/driver.ts';
import { events } from './trial/events.ts';
import { neighbours } from './trial/neighbours.ts';
import { restart } from './trial/restart.ts';
import { runner } from './trial/runner.ts';
import { sleep } from './trial/sleep.ts';
import { steadiness } from './trial/steadiness.ts';
import { tail } from './trial/tail.ts';
import { transactions } from './trial/transactions.ts';

/**
 * What must hold of every trial at every place, whatever is compared: nothing was lost, and nobody else added anything.
 * All figures that these checks use are in the record of the trial, so they can be repeated on a saved result
 * (`checkSavedTrial`).
 */
export const invariants: readonly TrialCheck[] = [
  // Transactions in the log = transactions of the run.
  transactionLog,
  // Commits of the server = commits of the run + other commits that are explained.
  commits,
  // Transactions ended all the time.
  silence,
  // The run was as long as planned.
  length,
  // What was offered was done.
  offered,
  // The database has the size of what was loaded.
  loadedSize,
  // The kinds of time of a transaction = clients / TPS.
  transactionTime,
];

/** Every check of a trial, in the order of the ledger. */
export const trialChecks: readonly TrialCheck[] = [
  restart,
  events,
  counters,
  clock,
  runner,
  driver,
  neighbours,
  sleep,
  ...invariants,
  clientTime,
  transactions,
  tail,
  checkpointCycle,
  autovacuum,
  steadiness,
];

/** Every check of two variants. */
export const pairChecks: readonly PairCheck[] = [
  serverVersion,
  workload,
  deployment,
  zone,
  settings,
  logVolumes,
  durability,
  sizes,
  work,
  blocks,
  order,
  drift,
  checkpoints,
  checkpointCycles,
  checkpointPace,
  warmUp,
  outliers,
  totals,
  ends,
  turns,
];

/** Every check, also those of comparisons with a control, of sides that are no variants of one run, and of damaged files. */
export const everyCheck: readonly CheckDefinition[] = [
  ...trialChecks,
  ...pairChecks,
  control,
  againstControl,
  withoutPartner,
  latency,
  notVerified,
];

const byId: ReadonlyMap<string, CheckDefinition> = new Map(everyCheck.map((check) => [check.id, check]));

/** @returns undefined for a check that only another version of pgduet has */
export function checkById(id: string): CheckDefinition | undefined {
  return byId.get(id);
}
