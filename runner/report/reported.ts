import { countedTrials } from '../analysis/counted-trials.ts';
import { movableIn } from '../analysis/movable.ts';
import type { Result } from '../contract/result.ts';
import { controlsOf } from '../experiment/groups.ts';
import { type KeptRun, nothingKept } from '../storage/kept-run.ts';
import { answersOf } from './answer/answers.ts';
import { withClaimsOnly } from './answer/claims.ts';
import { type Judged, judgedAmong } from './answer/headline.ts';
import { leadOf } from './answer/lead.ts';
import type { Answer } from './answer/statement.ts';
import { type Doubt, doubtsOf } from './doubts.ts';

/** What sections are made from. */
export interface Reported extends Judged {
  result: Result;
  /** Ids of the trials that count. */
  counted: ReadonlySet<string>;
  /** What the folder of the run has for repeating and checking it. */
  kept: KeptRun;
  /** One answer over all of them; that of the only comparison if there is only one. */
  lead: Answer;
  answers: Answer[];
  /** What a reader must know before relying on the answer: the gravest first. */
  doubts: Doubt[];
  /** Whether more trials are to come (report/live/). @default false */
  isUnderWay?: true;
}

/**
 * Every medium shows a result through this, so that none shows what the verdict does not allow.
 *
 * @param kept what the folder of the run has for repeating and checking it. @default nothing
 */
export function reported(result: Result, kept: KeptRun = nothingKept): Reported {
  const shown = withMovableOnly(withClaimsOnly(result));
  const counted = countedTrials(shown);
  const answers = answersOf(shown);
  const among = judgedAmong(answers, controlsOf(shown.experiment.definition));
  return {
    ...among,
    result: shown,
    counted,
    kept,
    answers,
    lead: leadOf(answers, among),
    doubts: doubtsOf(shown, counted),
  };
}

/** Without comparisons of what the load cannot move. */
function withMovableOnly(result: Result): Result {
  const { metric } = movableIn(result);
  return { ...result, comparisons: result.comparisons.filter((one) => one.primary || metric(one.metric)) };
}
