import { hardlyWrites } from '../../../metrics/value.ts';
import { areLong, wholeSeconds } from '../../../metrics/whole-seconds.ts';
import { assessSteadiness } from '../../../statistics/steadiness.ts';
import { settingNumber } from '../../../postgres/setting-units.ts';
import { cyclesOf, startRemedy } from '../cycles.ts';
import { minLevelChange, notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { wholePercent } from '../../../contract/format.ts';
import { movedWords } from '../../../contract/format-change.ts';

/**
 * Whether throughput kept one level. A change is named with its second, by the clock of the trial's series, also in
 * short trials. Only a trial that holds a whole checkpoint cycle is called steady. The cycle lasts from the start of
 * one checkpoint to the start of the next if the log shows them, and otherwise as long as `checkpoint_timeout`. A load
 * that hardly writes has none to wait for.
 */
export const steadiness: TrialCheck = {
  id: 'steady-state',
  name: 'steady state',
  remedy: 'Warm up for longer (protocol.warmUpSeconds), then rerun.',
  judge: (trial, { experiment, settings, shape, series }) => {
    // At a given rate, every trial that keeps up has a steady throughput. Of long transactions, many seconds see none end.
    // Then only latency may change.
    const [metric, what] =
      shape.offeredPerSecond === null && !areLong(trial.measures)
        ? (['tps', 'throughput'] as const)
        : (['latency.average', 'latency'] as const);
    const points = series.get(metric);
    if (!points) return notAssessed('no per-second series (with pgbench, collect transaction-log)');
    const seconds = wholeSeconds(points);
    const { state, change, index, reason, minVisibleChange } = assessSteadiness(
      seconds.map(({ value }) => value),
      {
        minSeconds:
          hardlyWrites(trial.measures) || (cyclesOf(trial)?.whole ?? 0) > 0
            ? 0
            : (settingNumber(settings['checkpoint_timeout']) ?? 0),
        threshold: minLevelChange(experiment.decision),
      },
    );
    const changed = `${what} ${movedWords(change ?? 0)}`;
    const second = seconds[index ?? 0]?.second;
    switch (state) {
      case 'steady':
        return pass(
          `${what} neither rose nor fell by ${minVisibleChange === null ? 'by more than the threshold' : `${wholePercent(minVisibleChange)}, the smallest change visible in ${seconds.length} s`}`,
        );
      case 'shifted':
        return warn(`${changed} at second ${second}: look for the cause, or ${startRemedy([trial])}`);
      case 'starting-up':
        return warn(`${changed} until second ${second}: ${startRemedy([trial])}`);
      case 'trending':
        return warn(`${changed} from start to end: ${startRemedy([trial])}`);
      case 'not-assessed':
        return notAssessed(reason);
    }
  },
};
