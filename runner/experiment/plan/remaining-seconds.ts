import type { Plan, Step } from '../../contract/plan.ts';

/** Expected seconds from the start of a step or trial to the end of the plan; null if they cannot be foreseen. */
export function remainingSeconds(plan: Plan): {
  ofStep: (step: Step) => number | null;
  ofTrial: (id: string) => number | null;
} {
  let total: number | null = 0;
  const steps = new Map<Step, number | null>();
  const trials = new Map<string, number | null>();
  for (const step of [...plan.steps].reverse()) {
    total = total === null || step.expectedSeconds === null ? null : total + step.expectedSeconds;
    steps.set(step, total);
    if (step.kind === 'measure') for (const { id } of step.trials) trials.set(id, total);
  }
  return { ofStep: (step) => steps.get(step) ?? null, ofTrial: (id) => trials.get(id) ?? null };
}
