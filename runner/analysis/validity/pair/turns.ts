import { isSettled } from '../../../contract/comparison.ts';
import type { Trial } from '../../../contract/trial.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { isNumber } from '../../../metrics/value.ts';
import { median } from '../../../statistics/summaries.ts';
import { toolOf } from '../../../workloads/registry.ts';
import { type PairCheck, pass, warn } from '../check.ts';
import { transactionsWanted } from '../transaction-seconds.ts';

/**
 * Whether a client had so few transactions in a trial that longer trials would settle what these do not. The length of
 * trials follows from transactions that were tried before, when less may have run beside them.
 */
export const turns: PairCheck = {
  id: 'transactions-of-a-client',
  name: 'transactions per client',
  couldChange: 'none',
  remedy: 'Measure longer trials (workload.durationSeconds).',
  judge: ({ experiment }, { comparison, ...pair }) => {
    const { durationSeconds, offeredPerSecond } = toolOf(experiment.definition.workload).shape(
      experiment.definition.workload,
    );
    if (durationSeconds === null || offeredPerSecond !== null) return null;
    const sides = [pair.baseline, pair.candidate].map(({ label, measured }) => ({
      variant: label,
      turns: median(measured.map(turnsOf).filter(isNumber)),
      seconds: median(measured.map(({ measures }) => measures['load.seconds']).filter(isNumber)) ?? durationSeconds,
    }));
    const wanted = transactionsWanted(metricNamed(comparison.metric));
    const [min] = sides
      .flatMap((side) => (side.turns === null ? [] : [{ ...side, turns: side.turns }]))
      .sort((one, other) => one.turns - other.turns);
    if (!min || min.turns >= wanted || min.turns === 0) return null;
    const words = `a client completed ${Number(min.turns.toFixed(1))} transactions in a trial of ${min.variant}`;
    if (comparison.verdict === null || isSettled(comparison.verdict)) return pass(words);
    const longer = Math.ceil((wanted * min.seconds) / min.turns);
    return warn(`${words}: ${wanted} of them need trials of ${longer} s (workload.durationSeconds)`);
  },
};

function turnsOf({ measures: { transactions = null, 'load.clients': clients = null } }: Trial): number | null {
  return transactions === null || clients === null || clients <= 0 ? null : transactions / clients;
}
