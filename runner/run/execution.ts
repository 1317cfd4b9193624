import type { Collector } from '../collect/collector.ts';
import { collectors } from '../collect/registry.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { Plan } from '../contract/plan.ts';
import type { CarriedOutStep } from '../contract/result.ts';
import { type Level, levelKey } from '../contract/trial.ts';
import type { Place } from '../places/place.ts';
import type { RunStore } from '../storage/run-store.ts';
import { toolOf } from '../workloads/registry.ts';
import type { LoadGenerator, Tool } from '../workloads/tool.ts';
import type { Report } from '../contract/run-event.ts';

/** Everything that carrying out a plan needs. */
export interface Execution {
  plan: Plan;
  experiment: Experiment;
  tool: Tool;
  /** Those that the experiment wants, in the order in which they are stopped. */
  collectors: readonly Collector[];
  /** The load with the workload of a level. */
  generatorAt: (level: Level) => Promise<LoadGenerator>;
  /** Brings the variants up, or finds them and proves them to be what was asked for. */
  openPlace: () => Promise<Place>;
  /** Where the run is kept; called once, when the variants are there: a run that never began leaves nothing. */
  openStore: () => RunStore;
  report: Report;
  /** Aborts on Ctrl-C, and with a LimitReached when a limit of the experiment is reached. */
  signal: AbortSignal;
  /** When the run was started for the first time. */
  startedAt: Date;
  now: () => Date;
  /** Resolves after so many seconds, or rejects when the signal aborts. */
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
}

/** A run that has its variants, and a place where it is kept. */
export interface Running extends Execution {
  place: Place;
  store: RunStore;
  /** What was carried out beside the trials, so far and in earlier starts. */
  steps: CarriedOutStep[];
}

/** Tool, sources and load of an experiment. */
export function equipmentOf(
  experiment: Experiment,
  where: { programs: string; scriptFolder: string },
): Pick<Execution, 'experiment' | 'tool' | 'collectors' | 'generatorAt'> {
  const { workload, collect } = experiment;
  const tool = toolOf(workload);
  const generators = new Map<string, Promise<LoadGenerator>>();
  return {
    experiment,
    tool,
    collectors: [...collectors, ...tool.collectors].filter(({ optional, name }) => !optional || collect.includes(name)),
    generatorAt(level) {
      const key = levelKey(level);
      const known = generators.get(key) ?? tool.open({ ...where, workload: tool.atLevel(workload, level), collect });
      generators.set(key, known);
      return known;
    },
  };
}
