import type { z } from 'zod';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { Storage, Variant } from '../contract/experiment/variant.ts';
import type { RuleProblem } from '../contract/check.ts';
import type { VolumesChoice } from './local/volumes/choose-volumes.ts';
import type { Place } from './place.ts';

/** A speed or a length, and who says so. */
export interface Speed {
  value: number;
  /** In words, such as `measured in the pilot` or `a guess`. */
  source: string;
}

/**
 * Where the servers of an experiment are, and what follows from that. Nobody else asks for the type of a storage or the name of
 * a place, but for what they need to know: lint sees to it.
 *
 * It loads quickly, since loading an experiment, the plan and the CDK app import it. `opener` loads the code that finds or
 * makes the servers.
 */
export interface PlaceDefinition {
  /** As result.json has it. */
  kind: string;
  /** In words that follow "servers are" or "variants are", such as `on this machine`. */
  words: string;
  /** Schemas of a variant's `storage` here, each with its own `type`: strict, with defaults and descriptions. */
  storage: readonly (z.ZodObject<{ type: z.ZodType<string> }> & z.ZodType<Storage>)[];
  /** AWS bills for the servers while they are there: there are prices, limits in dollars, and an end by itself. */
  isBilled: boolean;
  /**
   * A deploy makes the servers: it takes what RDS has, restores snapshots, and can move log volumes. RDS tells what they are
   * and what happened to them.
   */
  isDeployed: boolean;
  /** Each start of a run makes the servers, and removes them at its end. */
  isMadeByRun: boolean;
  /** Load and servers share a machine: its processors, disks and network. What disturbs one disturbs the other. */
  sharesMachine: boolean;
  /** Time between two looks at a server. Over a network, and with a large server whose list of sessions is long, a look costs more. */
  sampleSeconds: number;
  /** Until servers are there, loaded later or restored from a snapshot; and until one that restarts accepts connections. */
  speeds: { createSeconds: Speed; restoreSeconds: Speed; restartSeconds: Speed };
  /** What is wrong with a variant here. Values that are wrong by themselves are left out of it. */
  problems: (variant: Partial<Variant>) => RuleProblem[];
  /** What is allowed, but a reader of the result would want to know. */
  warnings: (name: string, variant: Partial<Variant>) => string[];
  /** The volumes of a variant as it declares them. */
  volumes: (variant: Pick<Variant, 'storage' | 'dedicatedLogVolume'>) => DeclaredVolumes;
  /** Opens it for a run that is started by hand; null where only the driver of a deploy can (run/deployed/). */
  opener: (() => Promise<PlaceOpener>) | null;
}

export interface PlaceOpener {
  /** Removes what this user's killed runs left here, and says so. */
  cleanUp(say: (line: string) => void, signal: AbortSignal): Promise<void>;
  /**
   * Looks for everything that the servers of the experiment need, before anything is made.
   *
   * @returns the folder of PostgreSQL's client programs, and a function that opens the place. Who calls it must close the place
   */
  prepare(experiment: Experiment, options: OpenOptions): Promise<{ programs: string; open: () => Promise<Place> }>;
}

export interface OpenOptions {
  /** Most clients that a server gets at the same time. */
  clients: number;
  pgBindir?: readonly string[] | undefined;
  volumes: VolumesChoice;
  /** Whether to use servers that an earlier command loaded and left, instead of new ones. */
  kept: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** The volumes of a variant as it declares them, in the same form at every place. Absent IOPS have no limit. */
export interface DeclaredVolumes {
  /** Type of the volumes in the words of AWS; null on other disks. */
  type: string | null;
  /** null where nobody says it. */
  sizeGib: number | null;
  iops?: number | undefined;
  /** The volume of the WAL alone; null if it shares that of the data. */
  log: { iops?: number | undefined } | null;
  /** Standbys that are declared with the storage, without those that a deployment has by itself; null for none. */
  standbys: { count: number; iops?: number | undefined } | null;
}
