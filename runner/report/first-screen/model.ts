import { wordsOfLoad } from '../../workloads/of-variants.ts';
import { besideNote } from '../answer/beside-words.ts';
import { scopeWordsOf } from '../answer/change-words.ts';
import { shortAnswer } from '../answer/short-answer.ts';
import type { ShortAnswer } from '../answer/short-words.ts';
import { checksInWords, type CheckWords } from '../checked-subjects.ts';
import type { Doubt } from '../doubts.ts';
import type { Reported } from '../reported.ts';
import { type ChangePlot, changePlot } from './change-plot.ts';
import { type CpuTakers, cpuTakers } from './cpu-takers.ts';
import { type LoadLines, loadLines } from './load-lines.ts';
import { type Next, nextOnPage } from './next.ts';
import { type OtherChanges, otherChanges } from './other-changes.ts';
import { type PriceRow, priceRows } from './price.ts';
import { type Settle, settle } from './settle.ts';
import { type TimeRows, timeRows } from './time-rows.ts';
import { type TradeOffs, tradeOffs } from './trade-offs.ts';

/** What a reader sees first, in the order of the questions. Every number stands in one of the parts, and in no other. */
export interface FirstScreen {
  question: string;
  /** Who, how much, how sure; below it, the same in units. */
  answer: ShortAnswer;
  /** What sets the variants apart; empty if their rows say it, or nothing does. */
  differs: { variant: string; words: string }[];
  /** The load under which it holds. */
  load: string;
  /** What the answer cannot show: sentences; empty if nothing was compared. */
  remains: string;
  /** null if nothing could be compared. */
  change: ChangePlot | null;
  /** null unless other programs take the verdict away. */
  takers: CpuTakers | null;
  /** null if there is an answer. */
  settle: Settle | null;
  /** null unless one candidate was compared over a load that grows. */
  loads: LoadLines | null;
  others: OtherChanges;
  /** The same as a table of variants; null unless several were compared at one level. */
  tradeOffs: TradeOffs | null;
  /** Empty if prices are not known. */
  price: PriceRow[];
  /** null if nothing explains a verdict, or several comparisons have an explanation each. */
  time: TimeRows | null;
  /** All of them, the gravest first. */
  doubts: ShownDoubt[];
  checks: CheckWords;
  /** null while the run is under way. */
  next: Next | null;
}

/** A doubt begins with what it may change. */
export interface ShownDoubt {
  effect: Doubt['effect'];
  /** Empty if it changes nothing, or if the sentence says it. */
  mayChange: string;
  sentence: string;
}

/** How many doubts a first screen has room for. The others stand in the details. */
export const maxDoubts = 3;

export function firstScreen(of: Reported): FirstScreen {
  const { result, counted, judged } = of;
  return {
    question: result.experiment.question,
    answer: shortAnswer(of),
    differs: judged.length === 1 ? descriptions(of) : [],
    load: wordsOfLoad(result.experiment.definition).summary,
    remains: [
      ...new Set(judged.filter(({ of: { change } }) => change !== null).map((one) => scopeWordsOf(one.of).remains)),
    ].join(' '),
    change: changePlot(of),
    takers: cpuTakers(of),
    settle: settle(of),
    loads: loadLines(result),
    others: otherChanges(of),
    tradeOffs: tradeOffs(of),
    price: priceRows(result),
    time: timeRows(result.explanations ?? []),
    doubts: shownDoubts(of),
    checks: checksInWords(result, counted),
    next: nextOnPage(of),
  };
}

/** The load, how often it was measured, and what was not tried: sentences. */
export function scopeOf({ answer, load, remains }: FirstScreen): string {
  return [`Load: ${load}.`, answer.basis.full, remains].filter((text) => text !== '').join(' ');
}

function descriptions({ result }: Reported): FirstScreen['differs'] {
  const { variants } = result.experiment.definition;
  return Object.entries(variants).flatMap(([variant, { description }]) =>
    description === undefined ? [] : [{ variant, words: description }],
  );
}

const mayChange: Readonly<Record<Doubt['effect'], string>> = {
  answer: 'The answer may change.',
  size: 'The size may change.',
  'other-figures': 'Other figures may change, but not the answer.',
  none: '',
};

/** What it may change, and why: sentences. */
export function doubtWords({ mayChange, sentence }: ShownDoubt): string {
  return [mayChange, sentence].filter((text) => text !== '').join(' ');
}

/** The gravest first, without those of a check that the answer names. */
export function shownDoubts(of: Reported): ShownDoubt[] {
  const compared = of.judged.map((one) => one.of);
  const takers = cpuTakers(of);
  // Where a part of its own has them, nothing stands twice; where they broke a limit, no change is claimed beside them.
  const isLimit = takers !== null && takers.limit !== null;
  const notes = isLimit ? [] : compared.map((one) => besideNote(one, { isNamed: takers === null }).trim());
  const beside = [...new Set(notes)].filter((sentence) => sentence !== '');
  const said = new Set(compared.flatMap(({ withheld }) => withheld.map(({ id }) => id)));
  return [
    ...beside.map((sentence): ShownDoubt => ({ effect: 'answer', mayChange: '', sentence })),
    ...of.doubts
      .filter(({ id }) => !said.has(id))
      .map(({ effect, sentence, hasOwnEffect = false }): ShownDoubt => ({
        effect,
        mayChange: hasOwnEffect ? '' : mayChange[effect],
        sentence,
      })),
  ];
}
