import type { Dollars } from '../../costs/price.ts';
import { mostBlocks, type PilotFinding } from '../../analysis/pilot.ts';
import { dollarsText } from './cost-text.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { durationText } from '../words/duration-text.ts';
import { countInWords, percent } from '../words/quantities.ts';
import { fewestPairs } from '../../statistics/exact-interval.ts';
import { hanging } from './wrap.ts';

type Need = PilotFinding & { expectedSeconds: number | null; dollars: Dollars | null };

/** What is needed to find an effect, in a paragraph for each candidate. */
export function renderPilot(
  { effect, power, needs }: { effect: number; power: number; needs: readonly Need[] },
  { columns }: { columns: number },
): string {
  return needs
    .flatMap((need) =>
      hanging('  pilot: ', needText(need, `a change of ${percent(effect)} with ${percent(power)} power`), columns),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function needText(need: Need, goal: string): string {
  const { blocks, spread, blocksNeeded, expectedSeconds, dollars } = need;
  const candidate = conditionsWords({ ...need.conditions, variant: need.candidate });
  if (spread === null) {
    return `${candidate}: ${blocks} of its blocks count, so that their spread is not known; two are needed, ${countInWords(fewestPairs)} are better.`;
  }
  const seen = `${candidate}: ${blocks} blocks spread by ${(spread * 100).toFixed(1)} %`;
  const doubt =
    blocks < fewestPairs
      ? ` So few blocks say little of their spread: measure ${countInWords(fewestPairs)} at least.`
      : '';
  if (blocksNeeded === null) return `${seen}; to find ${goal}, more than ${mostBlocks} are needed.${doubt}`;
  const price = [
    ...(expectedSeconds === null ? [] : [durationText(expectedSeconds)]),
    ...(dollars === null ? [] : [dollarsText(dollars)]),
  ];
  return `${seen}; to find ${goal}, ${blocksNeeded} are needed${price.length > 0 ? ` (${price.join(', ')})` : ''}.${doubt}`;
}
