import { maxBlocks } from '../../analysis/blocks-needed.ts';
import { awaitsResume } from '../../analysis/claims.ts';
import { secondsOfBlock, settlingOf } from '../../analysis/settling.ts';
import { type Comparison, unitOf } from '../../contract/comparison.ts';
import { dollarsText, durationText } from '../../contract/format.ts';
import type { Result } from '../../contract/result.ts';
import { designOf } from '../../experiment/plan/design.ts';
import { isClaim } from '../answer/claims.ts';
import { isDoubted } from '../answer/headline.ts';
import type { Reported } from '../reported.ts';
import { isExplained } from '../sections/worse.ts';
import { namesOfRows } from './change-plot.ts';

/** What it takes to get the answer that a run did not give. */
export interface Settle {
  /** What is counted, such as `blocks in a new run`. */
  counted: string;
  /** Empty if no number of blocks is known to settle it. */
  rows: SettleRow[];
  /** Sentences; empty if the rows say all. */
  note: string;
}

export interface SettleRow {
  /** Which comparison; empty if only one is open. */
  who: string;
  blocks: number;
  /** Of a verdict, such as `1 in 2`; empty if it is not known. */
  chance: string;
  /** With its price if there is one, such as `3 h, $62`; empty if it is not known. */
  time: string;
}

const inNewRun = 'blocks in a new run';
/** Of several comparisons, as many as a glance takes in. */
const maxRows = 3;

/** null if there is an answer, or if more blocks have nothing to do with it: while a run is under way, and where a control differs. */
export function settle({ result, judged, controls, isUnderWay }: Reported): Settle | null {
  const compared = judged.map((one) => one.of).filter(({ change, scope }) => change !== null && scope !== null);
  if (isUnderWay || isDoubted({ controls })) return null;
  const open = compared.filter(({ verdict }) => verdict === 'inconclusive');
  if (open.length > 0) return settleUndecided(open, result);
  const [first] = compared;
  return first && compared.every(({ verdict }) => !isClaim(verdict)) ? settleWithheld(first, result) : null;
}

function settleUndecided(open: readonly Comparison[], result: Result): Settle {
  const { definition } = result.experiment;
  const nameOf = namesOfRows(open);
  const found = open
    .map((one) => ({ who: open.length > 1 ? nameOf(one) : '', settling: settlingOf(one, definition, result.trials) }))
    .filter(({ settling }) => settling.length > 0)
    .toSorted((a, b) => (a.settling[0]?.blocks ?? 0) - (b.settling[0]?.blocks ?? 0));
  const [first] = found;
  if (!first) return { counted: inNewRun, rows: [], note: whyNotByBlocks(open[0]) };
  const isHopeless = (first.settling[0]?.blocks ?? 0) > maxBlocks;
  const isOne = found.length === 1 && !isHopeless;
  const rows = found
    .slice(0, maxRows)
    .flatMap(({ who, settling }) => (isOne ? settling : settling.slice(0, 1)).map((one) => ({ who, ...one })));
  return {
    counted: inNewRun,
    rows: rows.map(({ who, chance, blocks, seconds }) => ({
      who,
      blocks,
      chance: chanceWords.get(chance) ?? '',
      time: timeWords(seconds, result),
    })),
    note: isHopeless ? hopeless : assumed,
  };
}

/** By the chances of `settlingOf`. */
const chanceWords: ReadonlyMap<number, string> = new Map([
  [1 / 2, '1 in 2'],
  [2 / 3, '2 in 3'],
  [5 / 6, '5 in 6'],
]);

/** What to do instead is the next step. */
const hopeless = 'So many blocks are rarely worth their time.';
const assumed =
  'If the change is as estimated, and blocks vary as in this run. It takes a new run: blocks added after a look at the answer would make the range too narrow.';

function whyNotByBlocks(one: Comparison | undefined): string {
  if (!one) return '';
  if (isExplained(one) || one.beside) return 'More blocks would not help while other programs can explain the change.';
  if (one.undecided === 'not-against-the-control')
    return 'More blocks would not help: a comparison with the control does not confirm the change.';
  if (unitOf(one) === 'instance-pair')
    return 'More blocks would not help: it takes more instances of each variant (protocol.replicas).';
  return 'More blocks may give a verdict. How many is unknown.';
}

/** Reasons without a verdict that more blocks remove. */
const fewBlocks: readonly string[] = ['too-few-blocks', 'too-few-beside-unknown'];

/** Nothing has a verdict. */
function settleWithheld(first: Comparison, result: Result): Settle | null {
  const { definition } = result.experiment;
  const { blocks: planned } = definition.protocol;
  const each = secondsOfBlock(result.trials);
  const rowOf = (blocks: number): SettleRow[] => [
    { who: '', blocks, chance: '', time: timeWords(each === null ? null : blocks * each, result) },
  ];
  if (awaitsResume(result)) {
    const left = planned - first.pairs.length;
    return left > 0 ? { counted: 'blocks left to measure', rows: rowOf(left), note: '' } : null;
  }
  const { obstacles, blocksForVerdict } = designOf(definition);
  const [obstacle] = obstacles;
  if (obstacle) {
    return { counted: inNewRun, rows: [], note: 'More blocks would not help: this design allows no verdict.' };
  }
  if (first.withheld.some(({ id }) => fewBlocks.includes(id))) {
    const note = blocksForVerdict > planned ? 'The fewest from which a verdict can come.' : 'If no block is lost.';
    return { counted: inNewRun, rows: rowOf(Math.max(blocksForVerdict, planned)), note };
  }
  return { counted: inNewRun, rows: rowOf(planned), note: 'Once the cause is removed.' };
}

const minute = 60;

/** About how long measuring takes, and at which price. */
function timeWords(seconds: number | null, { place }: Result): string {
  if (seconds === null || seconds <= 0) return '';
  const rounded = seconds < 2 * minute ? seconds : minute * Math.round(seconds / minute);
  const perHour = place.bill?.dollarsPerHour ?? null;
  const dollars = perHour === null ? null : (perHour * seconds) / 3600;
  const price = dollars === null ? [] : [dollarsText({ low: dollars, high: dollars })];
  return [durationText(rounded), ...price].join(', ');
}
