import type { Dollars } from '../../rds/prices/price.ts';
import { maxBlocks } from '../../analysis/blocks-needed.ts';
import type { PilotFinding } from '../../analysis/pilot.ts';
import type { Protocol } from '../../contract/experiment/schema.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { minPairs } from '../../statistics/exact-interval.ts';
import { hanging } from '../media/wrap.ts';
import { countInWords, dollarsText, durationText, formatDecimal, percent } from '../../contract/format.ts';

type Need = PilotFinding & { expectedSeconds: number | null; dollars: Dollars | null };

/** What is needed to find an effect, in a paragraph for each candidate. */
export function renderPilot(
  { effect, power, until, needs }: { effect: number; power: number; until: Protocol['until']; needs: readonly Need[] },
  { columns }: { columns: number },
): string {
  const goalOf = ({ control }: Need): string =>
    control
      ? `to find this control equivalent with ${percent(power)} power`
      : `to call a change of ${percent(effect)} better or worse with ${percent(power)} power`;
  return needs
    .flatMap((need) => hanging('  pilot: ', needText(need, goalOf(need), until), columns))
    .map((line) => `${line}\n`)
    .join('');
}

function needText(need: Need, goal: string, until: Protocol['until']): string {
  const { blocks, spread, spreadAtMost, blocksNeeded, powerOfEquivalence, control, expectedSeconds, dollars } = need;
  const candidate = conditionsWords({ ...need.conditions, variant: need.candidate });
  if (spread === null || spreadAtMost === null) {
    return `${candidate}: ${blocks} of its blocks count, too few to know their spread. Two are needed, ${countInWords(minPairs)} are better.`;
  }
  const spreadWords = `${candidate}: ${blocks} blocks spread by ${formatDecimal(spread * 100, 1)}%, so plan with ${formatDecimal(spreadAtMost * 100, 1)}%, which the true spread exceeds with a chance of one in five`;
  const doubt =
    blocks < minPairs
      ? ` So few blocks say little about their spread: measure at least ${countInWords(minPairs)}.`
      : '';
  if (blocksNeeded === null) return `${spreadWords}; ${goal}, ${maxBlocks} blocks are not enough.${doubt}`;
  const price = [
    ...(expectedSeconds === null ? [] : [durationText(expectedSeconds)]),
    ...(dollars === null ? [] : [dollarsText(dollars)]),
  ];
  const needed = until === 'blocks' ? `${blocksNeeded} are needed` : `allow up to ${blocksNeeded}`;
  const same =
    control || powerOfEquivalence === null
      ? ''
      : ` If there is no change, they call the two equivalent with a chance of ${percent(powerOfEquivalence)}.`;
  return `${spreadWords}; ${goal}, ${needed}${price.length > 0 ? ` (${price.join(', ')})` : ''}.${same}${doubt}`;
}
