import type { LoadedServer } from '../postgres/contents.ts';
import type { Collector, Findings } from '../collect/collector.ts';
import { neighboursDuring } from '../collect/driver/neighbours.ts';
import { collectors } from '../collect/registry.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { Plan } from '../contract/plan.ts';
import type { CarriedOutStep } from '../contract/result.ts';
import type { Ceiling, Machine, UsedTool, VariantCost } from '../contract/run-record.ts';
import type { Level } from '../contract/trial.ts';
import type { Place } from '../places/place.ts';
import type { RunStore, StoredRun } from '../storage/run-store.ts';
import { workloadOf } from '../workloads/of-variants.ts';
import { type FullTool, toolOf } from '../workloads/registry.ts';
import type { LoadGenerator, TriedOut } from '../workloads/load-generator.ts';
import type { OnEvent } from '../contract/status.ts';
import type { Handover } from './handover.ts';
import type { KeptInputs, RunInputs } from './inputs.ts';
import type { StartKeeper, StartToKeep } from './starts.ts';
import { pauseSeconds } from './time-limit.ts';

/** What is to be measured, as it was planned before anything starts, here or on a driver. */
export interface PlannedRun {
  experiment: Experiment;
  profile: string;
  plan: Plan;
  /** What the run is made from. pgduet copies it into the run's folder, and runs only the copy. */
  inputs: RunInputs;
  /** Absent if the starts of the question are not counted: deployed, or for a design without verdicts. */
  start?: StartToKeep | undefined;
  /**
   * The kind of volumes of the local variants in the run that is repeated; absent if none is repeated, or if it is
   * unknown.
   */
  repeatedVolumes?: Place['volumesKind'];
  /** Whether nobody named the seed, so that a resumed run has the one of its start. @default false */
  isSeedDrawn?: boolean;
}

/** A planned run with everything that is needed to carry it out. */
export interface Run extends PlannedRun {
  stages: { load: boolean; run: boolean };
  /** What an earlier start of the same run left; null for a new one. */
  earlier: StoredRun | null;
  /**
   * Whether the databases are those of the earlier start. If so, databases that were loaded completely are not loaded
   * again, and a block that was cut off is resumed. On this machine, every start makes new ones.
   */
  isResumed: boolean;
  tool: FullTool;
  /** Folder of PostgreSQL's client programs. */
  programs: string;
  /** The collectors that the experiment wants, in the order in which they are stopped. */
  collectors: readonly Collector[];
  /** Opens the load generator with the files of a folder. */
  generatorsIn: (scriptFolder: string) => GeneratorAt;
  /** Starts the variants, or finds them and proves that they are what was asked for. */
  openPlace: () => Promise<Place>;
  /** Whether to keep the place after the run. @default if it was only loaded, because then only a later run uses it */
  keep?: boolean | undefined;
  /**
   * Opens the place where the run is kept. It is called once, when the variants exist: a run that never began leaves
   * nothing.
   */
  openStore: () => RunStore;
  driver: Driver;
  /** Notes blocks in the ledger of the question; absent if the starts of the question are not counted. */
  starts?: StartKeeper | undefined;
  /** What one server of each variant costs, by the variant's name; absent on this machine. */
  costs?: ReadonlyMap<string, VariantCost>;
  report: OnEvent;
  /** Receives what must be read at once, such as how to reach a kept place. */
  say: (line: string) => void;
  /**
   * Called with what the first transactions on each server took, or null if the tool does not say. It may throw an
   * UnfitTrials.
   *
   * @default a warning if trials are short for them
   */
  onTriedOut?: ((found: TriedOut | null) => Promise<void>) | undefined;
  /** What an earlier run with other trials has left, and what this one leaves. @default every run makes its own servers */
  handover?: Handover | undefined;
  /** Hides throughput and latency from `report`, so that they cannot influence whoever watches. @default false */
  blind?: boolean | undefined;
  /** Whether a page about the run is served on this machine; each trial records it. @default false */
  live?: boolean | undefined;
  /**
   * Called when trials have ended and none has begun, for what takes processor time. It may make `signal` abort.
   *
   * @param store the run as it is so far
   */
  betweenTrials?: ((store: RunStore) => Promise<void>) | undefined;
  /**
   * What other programs take of this machine in this number of seconds; null if the system does not report it.
   *
   * @param look.ours ids of processes of the run besides this one
   * @default nobody looks
   */
  lookAtNeighbours?: (
    look: { seconds: number; ours: readonly number[] },
    signal: AbortSignal,
  ) => Promise<Findings | null>;
  /** Aborts on Ctrl-C, and with a LimitReached when the run reaches a limit of the experiment. */
  signal: AbortSignal;
  /** When the run was started for the first time. */
  startedAt: Date;
  now: () => Date;
  /** Resolves after this number of seconds, or rejects when the signal aborts. */
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The load generator with the workload of a level.
 *
 * @param variant whose scripts it has. @default those of the experiment, for work other than the load
 */
export type GeneratorAt = (level: Level, variant?: string) => Promise<LoadGenerator>;

/** The machine that generates the load, and its load generator. */
export interface Driver {
  machine: Machine;
  tool: UsedTool;
  /** Mark of the run's inputs by its user (contract/run-record.ts). */
  origin?: string;
}

/** What every trial must find unchanged. */
export interface FoundAgain {
  /** The value of each setting in new sessions once everything is loaded, by the name of the server. */
  settings: Map<string, Readonly<Record<string, string>>>;
  /**
   * The definitions of the data after a reset by files of the user, from the server that was reset first; of each
   * preparation of a variant.
   */
  shapes: Map<string, LoadedServer>;
}

/** A run whose variants exist, with the place where it is kept. */
export interface ActiveRun extends Run {
  place: Place;
  store: RunStore;
  kept: KeptInputs;
  generatorAt: GeneratorAt;
  /** What the load generator itself is capable of, by level; absent if it was not measured. */
  ceilings?: readonly Ceiling[];
  /** What was read from the servers once they were loaded, and what each trial must find again. */
  foundAgain: FoundAgain;
  /** What the first transactions on each server took, by its name; null if the tool does not say. */
  tried: Map<string, TriedOut | null>;
  /** The steps besides the trials that were carried out so far, including earlier starts. */
  steps: CarriedOutStep[];
}

/** What a run takes from this machine itself. */
export const localClock: Required<Pick<Run, 'now' | 'pause' | 'lookAtNeighbours'>> = {
  now: () => new Date(),
  pause: pauseSeconds,
  lookAtNeighbours: ({ seconds, ours }, signal) => neighboursDuring(() => pauseSeconds(seconds, signal), ours),
};

/** Tool, sources and load generator of an experiment. */
export function equipmentOf(
  experiment: Experiment,
  where: { programs: string; otherPrograms?: readonly string[]; downloadUntil?: AbortSignal },
): Pick<Run, 'tool' | 'programs' | 'collectors' | 'generatorsIn'> {
  const { workload, collect } = experiment;
  const tool = toolOf(workload);
  return {
    tool,
    programs: where.programs,
    collectors: [...collectors, ...tool.collectors].filter(({ optional, name }) => !optional || collect.includes(name)),
    generatorsIn(scriptFolder) {
      const generators = new Map<string, Promise<LoadGenerator>>();
      return (level, variant) => {
        const own = variant === undefined ? workload : workloadOf(experiment, variant);
        const atLevel = tool.resolveLevel(own, level);
        // Several levels may have the same load, such as those of replicas.
        const key = JSON.stringify(atLevel);
        const known = generators.get(key) ?? tool.open({ ...where, scriptFolder, workload: atLevel, collect });
        generators.set(key, known);
        return known;
      };
    },
  };
}
