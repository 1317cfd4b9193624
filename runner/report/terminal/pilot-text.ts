import type { Dollars } from '../../rds/prices/price.ts';
import { maxBlocks } from '../../analysis/blocks-needed.ts';
import type { PilotFinding } from '../../analysis/pilot.ts';
import type { Protocol } from '../../contract/experiment/schema.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { minPairs } from '../../statistics/exact-interval.ts';
import { hanging } from '../media/wrap.ts';
import {
  capitalise,
  countInWords,
  dollarsText,
  durationText,
  formatDecimal,
  percent,
  withNoun,
} from '../../contract/format.ts';

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
    return `${candidate}: ${withNoun(blocks, 'valid block')} ${blocks === 1 ? 'is' : 'are'} too few to estimate the spread. Measure at least two, preferably ${countInWords(minPairs)}.`;
  }
  const spreadWords = `${candidate}: ${blocks} blocks have a spread of ${formatDecimal(spread * 100, 1)}%. Plan with ${formatDecimal(spreadAtMost * 100, 1)}%: the true spread exceeds that in one case in five`;
  const doubt =
    blocks < minPairs ? ` Too few blocks for a reliable spread: measure at least ${countInWords(minPairs)}.` : '';
  if (blocksNeeded === null) return `${spreadWords}. ${capitalise(goal)}, ${maxBlocks} blocks are not enough.${doubt}`;
  const price = [
    ...(expectedSeconds === null ? [] : [durationText(expectedSeconds)]),
    ...(dollars === null ? [] : [dollarsText(dollars)]),
  ];
  const needed = until === 'blocks' ? `you need ${blocksNeeded}` : `allow up to ${blocksNeeded}`;
  const same =
    control || powerOfEquivalence === null
      ? ''
      : ` If there is no change, an equivalent verdict has a ${percent(powerOfEquivalence)} chance.`;
  return `${spreadWords}. ${capitalise(goal)}, ${needed}${price.length > 0 ? ` (${price.join(', ')})` : ''}.${same}${doubt}`;
}
