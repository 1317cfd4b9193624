import { invariants } from './invariants.ts';
import { blocks } from './pair/blocks.ts';
import { asymmetry } from './pair/asymmetry.ts';
import { checkpointCycles } from './pair/checkpoint-cycles.ts';
import { checkpointPace } from './pair/checkpoint-pace.ts';
import { checkpoints } from './pair/checkpoints.ts';
import { differences, settings } from './pair/differences.ts';
import { drift } from './pair/drift.ts';
import { logVolumes } from './pair/log-volumes.ts';
import { order } from './pair/order.ts';
import { outliers } from './pair/outliers.ts';
import { sizes } from './pair/sizes.ts';
import { warmUp } from './pair/warm-up.ts';
import { work } from './pair/work.ts';
import type { PairCheck } from './pair-check.ts';
import type { TrialCheck } from './trial-check.ts';
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
import { steadiness } from './trial/steadiness.ts';
import { transactions } from './trial/transactions.ts';

/** Every check of a trial, in the order of the ledger. */
export const trialChecks: readonly TrialCheck[] = [
  restart,
  events,
  counters,
  clock,
  runner,
  driver,
  neighbours,
  ...invariants,
  clientTime,
  transactions,
  checkpointCycle,
  autovacuum,
  steadiness,
];

/** Every check of two variants. */
export const pairChecks: readonly PairCheck[] = [
  differences,
  settings,
  logVolumes,
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
  asymmetry,
];
