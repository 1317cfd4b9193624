import { type Level, levelKey, levelWords } from '../contract/trial.ts';
import type { Ceiling } from '../contract/result.ts';
import type { LoadGenerator } from '../workloads/tool.ts';
import { placeNamed } from '../places/registry.ts';
import type { Running } from './execution.ts';

/**
 * Measures at each level what the load generator itself is capable of on this driver, before servers are asked for anything: a
 * result near it is about the driver. On this machine, servers and load share the processors, and it would say nothing.
 */
export async function calibrate(running: Running): Promise<Ceiling[]> {
  const { plan, place, store, generatorAt, report, signal } = running;
  const [target] = place.targets.values();
  if (placeNamed(place.kind).sharesMachine || !target) return [];
  const ceilings: Ceiling[] = [];
  /** Several levels may have the same load, such as those of replicas. */
  const known = new Map<LoadGenerator, number | undefined>();
  for (const level of plan.levels) {
    try {
      const generator = await generatorAt(level);
      if (!known.has(generator)) {
        known.set(generator, await generator.ceiling?.(target, { folder: store.folder, signal }));
      }
      const tps = known.get(generator);
      if (tps !== undefined) ceilings.push({ level, tps });
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      const words = levelWords(level);
      report({
        kind: 'warning',
        text: `What the load generator itself is capable of${words && ` with ${words}`} could not be measured: ${why}`,
      });
    }
  }
  return ceilings;
}

/** The measure of a trial at this level; none if its ceiling is not known. */
export function ceilingAt(ceilings: readonly Ceiling[] = [], level: Level): Record<string, number> {
  const found = ceilings.find((one) => levelKey(one.level) === levelKey(level));
  return found ? { 'load.ceiling': found.tps } : {};
}
