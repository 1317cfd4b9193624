import { type ResetReport, resetDatabase } from '../postgres/reset.ts';
import type { Target } from '../postgres/target.ts';
import type { Running } from './execution.ts';

/** Brings a server to the state in which every trial starts, by the general steps and by those of the tool. */
export async function resetTarget(
  { tool, generatorAt, plan, place }: Pick<Running, 'tool' | 'generatorAt' | 'plan' | 'place'>,
  target: Target,
  steps: readonly string[],
  signal: AbortSignal,
): Promise<ResetReport> {
  const byGenerator =
    (step: string) =>
    async (given: AbortSignal): Promise<void> => {
      const generator = await generatorAt(plan.levels[0] ?? {});
      if (!generator.reset) throw new Error(`nothing of ${tool.name} carries out the reset step ${step}`);
      await generator.reset(target, step, { signal: given });
    };
  const own = Object.entries(tool.resetSteps).map(
    ([step, { statements }]) => [step, { statements: statements ?? byGenerator(step) }] as const,
  );
  const restart = place.restart && ((until: AbortSignal) => place.restart?.(target.server, until) ?? Promise.resolve());
  return resetDatabase(target, { steps, own: Object.fromEntries(own), restart }, signal);
}
