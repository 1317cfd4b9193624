import { controlsOf } from '../../experiment/groups.ts';
import type { Reported } from '../reported.ts';
import { type Headlined, headlined, type PrimaryAnswer } from './headline.ts';

/** The answers of a run that decide: those of controls only if there are no others. */
export function judgedIn({ result, answers }: Pick<Reported, 'result' | 'answers'>): {
  judged: Headlined[];
  controls: Headlined[];
} {
  const names = controlsOf(result.experiment.definition);
  const items = answers
    .filter((answer): answer is PrimaryAnswer => answer.of?.primary === true)
    .map((answer) => headlined(answer, names.includes(answer.candidate)));
  const others = items.filter(({ of }) => !names.includes(of.candidate.variant));
  const isOnlyControls = others.length === 0;
  return {
    judged: isOnlyControls ? items : others,
    controls: isOnlyControls ? [] : items.filter((one) => !others.includes(one)),
  };
}
