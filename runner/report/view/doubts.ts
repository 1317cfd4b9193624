import { checkById } from '../../analysis/validity/registry.ts';
import { type Effect, effects } from '../../contract/check.ts';

/** Something that a reader should know before relying on the answer. */
export interface Doubt {
  /** Of the check that says so, or of one of `doubtDefinitions`. */
  id: string;
  effect: Effect;
  /** One sentence with its full stop. */
  sentence: string;
  /** Whether the sentence says itself what it could change. @default false */
  hasOwnEffect?: boolean;
}

const couldChange: Record<Effect, string> = {
  answer: ' This could change the answer itself.',
  size: ' This could change the size of the effect.',
  'other figures': ' This could change other figures than the answer.',
  none: '',
};

/** The doubt with what it could change. */
export function doubtWords({ effect, sentence, hasOwnEffect = false }: Doubt): string {
  return hasOwnEffect ? sentence : `${sentence}${couldChange[effect]}`;
}

/** The gravest first; those of equal gravity stay in their order. */
export function byGravity(doubts: readonly Doubt[]): Doubt[] {
  return doubts.toSorted((one, other) => effects.indexOf(one.effect) - effects.indexOf(other.effect));
}

/**
 * A check that failed could change the answer, whatever it checks: either the answer was withheld for that, or the
 * failure was tolerated.
 */
export function effectOfCheck(id: string, state: 'fail' | 'warn'): Effect {
  return state === 'fail' ? 'answer' : (checkById(id)?.couldChange ?? 'size');
}

/** How many of the gravest stand in the card. */
export const maxInCard = 3;
