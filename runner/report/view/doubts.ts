/** What a doubt could change, the gravest first. */
export const effects = ['answer', 'size', 'other figures', 'none'] as const;
export type Effect = (typeof effects)[number];

/** Something that a reader should know before relying on the answer. */
export interface Doubt {
  effect: Effect;
  /** One sentence with its full stop. */
  sentence: string;
  /** Whether the sentence says itself what it could change. @default false */
  isItself?: boolean;
}

const couldChange: Record<Effect, string> = {
  answer: ' This could change the answer itself.',
  size: ' This could change the size of the effect.',
  'other figures': ' This could change other figures than the answer.',
  none: '',
};

/** The doubt with what it could change. */
export function doubtWords({ effect, sentence, isItself = false }: Doubt): string {
  return isItself ? sentence : `${sentence}${couldChange[effect]}`;
}

/** The gravest first; those of equal gravity stay in their order. */
export function byGravity(doubts: readonly Doubt[]): Doubt[] {
  return doubts.toSorted((one, other) => effects.indexOf(one.effect) - effects.indexOf(other.effect));
}

/**
 * What a warning of each check could change. One that failed could change the answer, whatever it checks: either it was
 * withheld for that, or the failure was tolerated.
 */
const effectsOfChecks: Readonly<Record<string, Effect>> = {
  control: 'answer',
  'against the control': 'answer',
  order: 'answer',
  settings: 'answer',
  'server version': 'answer',
  workload: 'answer',
  deployment: 'answer',
  zone: 'size',
  'log volume': 'answer',
  work: 'answer',
  drift: 'size',
  'warm-up': 'size',
  'steady state': 'size',
  'checkpoint cycle': 'size',
  'checkpoint cycles': 'size',
  'checkpoint pace': 'size',
  checkpoints: 'size',
  blocks: 'size',
  outliers: 'size',
  asymmetry: 'size',
  'size and history of tables': 'size',
  'size of the database': 'size',
  autovacuum: 'size',
  'driver’s processors': 'size',
  'client time': 'size',
  'other programs': 'size',
  'backup, maintenance, storage': 'size',
  'restart or failover': 'size',
  commits: 'size',
  'offered transactions': 'size',
  'length of the trial': 'size',
  transactions: 'size',
  clock: 'other figures',
  counters: 'other figures',
  runner: 'other figures',
  'silent seconds': 'other figures',
  'transaction log': 'other figures',
};

/** @param name of a check; one of another version of pgduet could change the size */
export function effectOfCheck(name: string, state: 'fail' | 'warn'): Effect {
  return state === 'fail' ? 'answer' : (effectsOfChecks[name] ?? 'size');
}

/** Names of checks whose effect is known. */
export const checksWithEffect: readonly string[] = Object.keys(effectsOfChecks);

/** How many of the gravest stand in the card. */
export const mostInCard = 3;
