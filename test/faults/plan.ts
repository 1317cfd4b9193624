import type { Case } from './cases.ts';
import { type Draw, newDraw } from './draw.ts';

/** A case at an instant. The same seed and number give the same one, whatever the count. */
export interface Injection extends Case {
  seed: number;
  /** From 1. */
  number: number;
  /** Which trial is meant, counted from 0, if the phase is one of trials. */
  trial: number;
  /** When in its phase, as a share of how long the phase usually takes. */
  instant: number;
  /** Whether a part that is stopped goes on by itself after some seconds. */
  goesOn: boolean;
  /** Seconds from the fault until somebody presses Ctrl-C, if the run goes on for so long. */
  patienceSeconds: number;
  /** How long something outside of the driver does not work. */
  outageSeconds: number;
  /** Further choices, such as which of several processes. */
  draw: Draw;
}

export const trialsOfRun = 2;
const patient = 90;

/** Goes through all cases in random order before it takes one again. */
export function plannedInjection(seed: number, number: number, cases: readonly Case[]): Injection {
  const round = Math.floor((number - 1) / cases.length);
  // Numbers of injections are positive.
  const inRound = newDraw(seed, -1 - round).shuffled(cases);
  const draw = newDraw(seed, number);
  return {
    ...(inRound[(number - 1) % cases.length] as Case),
    seed,
    number,
    trial: Math.floor(draw.share() * trialsOfRun),
    instant: draw.share(),
    goesOn: draw.share() < 0.5,
    // Most people wait for what they expect; one in eight waits until the run gives up by itself.
    patienceSeconds: draw.share() < 0.125 ? patient : 4 + 6 * draw.share(),
    outageSeconds: 2 + 6 * draw.share(),
    draw,
  };
}
