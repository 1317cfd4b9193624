import type { Gate } from '../../contract/gate.ts';
import { decidingMetric, type Experiment } from '../../contract/experiment/schema.ts';
import { percent, withNoun } from '../../contract/format.ts';
import { gatePower } from '../../analysis/gate-power.ts';
import { changesOf } from '../../metrics/catalogue.ts';

/** Such as `pass`. */
export function outcomeWord({ outcome }: Pick<Gate, 'outcome'>): string {
  return outcome === 'no-verdict' ? 'no verdict' : outcome;
}

/** Such as `fail: worse than base beyond noise, by more than the threshold of 5%`. */
export function gateLine(found: Gate): string {
  return `${outcomeWord(found)}: ${reasonWords(found)}`;
}

export function reasonWords({ because, metric, threshold }: Pick<Gate, 'because' | 'metric' | 'threshold'>): string {
  const limit = changesOf(metric).size(threshold);
  const words: Readonly<Record<Gate['because'], string>> = {
    better: 'head is better than base beyond noise',
    equivalent: `head and base differ by less than the threshold of ${limit}`,
    'not-worse': `head is not worse than base by more than the threshold of ${limit}`,
    worse: `head is worse than base beyond noise, by more than the threshold of ${limit}`,
    'slightly-worse': `head is worse than base beyond noise, but perhaps by less than the threshold of ${limit}`,
    inconclusive: `a loss of more than the threshold of ${limit} cannot be excluded`,
    withheld: 'something speaks against this measurement',
    'nothing-differs': 'what this experiment measures is the same in both commits, so nothing was measured',
  };
  return words[because];
}

/** What the minutes can find, by an earlier run: said before the run begins. */
export function powerWords(
  { decision, protocol }: Pick<Experiment, 'decision' | 'protocol'>,
  { minutes, finds }: { minutes: number; finds: number | null },
): string {
  const room = `There is time for up to ${withNoun(protocol.blocks, 'block')} in ${withNoun(minutes, 'minute')}.`;
  if (finds === null) {
    return `${room} How large a regression that finds, no earlier run of this gate says here.`;
  }
  const { size } = changesOf(decidingMetric(decision));
  const found = `${room} If blocks vary as in the last run here, a regression of ${size(finds)} is found in ${percent(gatePower)} of runs.`;
  return finds > 2 * decision.practicalThreshold
    ? `${found} That is more than twice the threshold of ${size(decision.practicalThreshold)}: give it more --minutes, or a quieter machine.`
    : found;
}
