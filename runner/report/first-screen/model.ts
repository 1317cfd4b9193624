import { scopeWordsOf } from '../answer/change-words.ts';
import { judgedIn, type ShortAnswer, shortAnswer } from '../answer/short-answer.ts';
import { checksInWords } from '../checked-subjects.ts';
import type { Doubt } from '../doubts.ts';
import type { Reported } from '../reported.ts';
import { type ChangePlot, changePlot } from './change-plot.ts';
import { type Next, nextOf } from './next.ts';
import { type OtherChanges, otherChanges } from './other-changes.ts';
import { type PriceRow, priceRows } from './price.ts';
import { type TimeRows, timeRows } from './time-rows.ts';

/** What a reader sees first, in the order of the questions. Every number stands in one of the parts, and in no other. */
export interface FirstScreen {
  question: string;
  /** Who, how much, how sure; below it, the same in units. */
  answer: ShortAnswer;
  /** What sets the variants apart; empty if their rows say it, or nothing does. */
  differs: { variant: string; words: string }[];
  /** What the answer cannot show; empty if there is none. */
  scope: string;
  /** null if nothing could be compared. */
  change: ChangePlot | null;
  others: OtherChanges;
  /** Empty if prices are not known. */
  price: PriceRow[];
  /** null without a verdict of better or worse, and with several of them. */
  time: TimeRows | null;
  doubts: ShownDoubt[];
  /** How many more there are. */
  moreDoubts: number;
  /** A sentence; empty if nothing was checked. */
  checks: string;
  /** null while the run is under way. */
  next: Next | null;
}

/** A doubt begins with what it may change. */
export interface ShownDoubt {
  /** Empty if it changes nothing. */
  mayChange: string;
  sentence: string;
}

/** The gravest ones; the others stand in the details. */
const maxDoubts = 3;

export function firstScreen(of: Reported): FirstScreen {
  const { result, doubts, counted } = of;
  const { judged } = judgedIn(of);
  return {
    question: result.experiment.question,
    answer: shortAnswer(of),
    differs: judged.length === 1 ? descriptions(of) : [],
    scope: [...new Set(judged.map((one) => scopeWordsOf(one.of).remains))].join(' '),
    change: changePlot(of),
    others: otherChanges(of),
    price: priceRows(result),
    time: timeRows(result.explanations ?? []),
    doubts: doubts.slice(0, maxDoubts).map(shownDoubt),
    moreDoubts: Math.max(0, doubts.length - maxDoubts),
    checks: checksInWords(result, counted),
    next: nextOf(of),
  };
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
  'other-figures': 'Other figures may change.',
  none: '',
};

function shownDoubt({ effect, sentence }: Doubt): ShownDoubt {
  return { mayChange: mayChange[effect], sentence };
}
