import { resetDatabase } from '../postgres/reset.ts';
import type { Target } from '../postgres/target.ts';
import type { Running } from './execution.ts';

/**
 * Brings a server to the state in which every trial starts, by the general steps and by those of the tool.
 *
 * @returns what could not be done, in words
 */
export async function resetTarget(
  { tool, generatorAt, plan }: Pick<Running, 'tool' | 'generatorAt' | 'plan'>,
  target: Target,
  steps: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
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
  return resetDatabase(target, steps, Object.fromEntries(own), signal);
}
