import { doubtDefinitions } from '../../analysis/validity/doubts.ts';
import { withhold } from '../../analysis/validity/judge-validity.ts';
import type { Result } from '../../contract/result.ts';
import type { Answer } from '../answer/statement.ts';
import { type Reported, reported } from '../reported.ts';

/**
 * What a report shows of a run that is under way: what was measured. It leaves out all that only the end may say, such as
 * verdicts, what follows from them, where a ladder bends, and which trials are missing.
 *
 * @param result of the trials so far
 * @param planned number of trials of the plan
 */
export function reportedUnderWay(result: Result, planned: number): Reported {
  const { blocks } = result.experiment.definition.protocol;
  const compared = result.comparisons.filter(({ change }) => change !== null);
  const of = reported({
    ...result,
    // For no reason: none is missing before the end.
    comparisons: compared.map((comparison) => withhold(comparison, [])),
    ladders: [],
    explanations: [],
    distributions: [],
  });
  const finished = result.trials.filter(({ state }) => state === 'finished').length;
  const lead: Answer = {
    candidate: '',
    verdict: null,
    headline: `No verdict until the planned ${blocks === 1 ? 'block is' : `${blocks} blocks are`} measured.`,
    evidence: `The run is in progress: ${finished} of ${planned} planned trials ${finished === 1 ? 'has' : 'have'} finished. ${compared.length === 0 ? 'No block is complete yet, so nothing is compared.' : 'Changes and intervals cover complete blocks only.'}`,
    remains: '',
    of: null,
  };
  return {
    ...of,
    isUnderWay: true,
    lead,
    answers: [lead],
    doubts: of.doubts.filter(({ id }) => id === doubtDefinitions.place.id),
  };
}
