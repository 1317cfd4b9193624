import type { z } from 'zod';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { ParameterValue, Pooler, Storage, StoredVariant, Variant } from '../contract/experiment/variant.ts';
import type { ServerProperty } from '../contract/server-property.ts';
import type { RuleProblem } from '../contract/check.ts';
import type { LookUp } from './local/installations.ts';
import type { VolumesChoice } from './local/volumes/choose-volumes.ts';
import type { Place } from './place.ts';

/** A speed or a duration, and where it comes from. */
export interface Speed {
  value: number;
  /** In words, such as `measured in the pilot` or `a guess`. */
  source: string;
}

/**
 * Where the servers of an experiment are, and what follows from that. Other code never asks for the type of a storage
 * or the name of a place. It asks for the property that it needs; lint enforces this.
 *
 * It must load quickly, since the experiment loader, the plan and the CDK app import it. `opener` loads the code that
 * finds or makes the servers.
 */
export interface PlaceDefinition {
  /** The value of `place.kind` in result.json. */
  kind: string;
  /** Follows "servers are" or "variants are" in a sentence, such as `on this machine`. */
  words: string;
  /** Schemas for a variant's `storage` here, each with its own `type`: strict, with defaults and descriptions. */
  storage: readonly (z.ZodObject<{ type: z.ZodType<string> }> & z.ZodType<Storage>)[];
  /** Names of the ways in which servers may be deployed here, the default first. @default none is chosen here */
  deployments?: readonly string[];
  /** What is known here about a server that PostgreSQL does not know. @default nothing */
  serverProperties?: readonly ServerProperty[];
  /** AWS bills for the servers as long as they exist: so there are prices, limits in dollars, and an automatic end. */
  isBilled: boolean;
  /**
   * A deploy makes the servers: it chooses from what RDS offers, restores snapshots, and can move log volumes. RDS
   * reports what the servers are and what happened to them.
   */
  isDeployed: boolean;
  /** The servers are somebody's, and a variant names its own with `server`. @default false */
  isFound?: boolean;
  /** Poolers that a variant may have before its server. @default none */
  poolers?: PlacePoolers;
  /** Whether servers here can be built from source. @default false */
  buildsServers?: true;
  /** Each start of a run makes the servers, and removes them at its end. */
  isMadeByRun: boolean;
  /**
   * The load generator and the servers share a machine: its processors, disks and network. What disturbs one disturbs
   * the other.
   */
  sharesMachine: boolean;
  /**
   * Time between two samples of a server. A sample costs more over a network, and on a large server with many sessions.
   */
  sampleSeconds: number;
  /**
   * Time to create empty servers, to restore them from a snapshot, and until a restarted server accepts connections.
   */
  speeds: { createSeconds: Speed; restoreSeconds: Speed; restartSeconds: Speed };
  /** What is wrong with a variant here. The argument has no values that the schema already rejected. */
  problems: (variant: Partial<Variant>) => RuleProblem[];
  /**
   * Why servers here do not take a parameter that PostgreSQL would take; null if they do.
   *
   * @default they take all
   */
  parameterProblem?: (name: string, value: ParameterValue, version: string | undefined) => string | null;
  /** Whether servers here evaluate formulas, such as {DBInstanceClassMemory/32768}. @default false */
  hasFormulas?: boolean;
  /** How many connections a server of a variant allows; null if that is not known. @default it is not */
  connections?: (variant: Partial<Variant>) => number | null;
  /** What is allowed, but what a reader of the result would want to know. @default nothing */
  warnings?: (name: string, variant: Partial<Variant>) => string[];
  /** Services of these variants that cannot be used from here, found without reaching a server. @default none */
  unknownServices?: (variants: Experiment['variants'], lookUp: LookUp) => Promise<string[]>;
  /** The volumes of a variant as it declares them. */
  volumes: (variant: StoredVariant) => DeclaredVolumes;
  /**
   * Opens the place for a run that is started by hand; null if only the driver of a deploy can open it (run/deployed/).
   */
  opener: (() => Promise<PlaceOpener>) | null;
}

/** The poolers of a place. */
export interface PlacePoolers {
  /** Schemas of a variant's `pooler`, each with modes of its own: strict, with defaults and descriptions. */
  schemas: readonly (z.ZodObject<{ mode: z.ZodType<string> }> & z.ZodType<Pooler>)[];
  /** Such as `PgBouncer, session mode, 8 sessions`. */
  words: (pooler: Pooler) => string;
  /** What is wrong with the pooler of a variant for this load; paths are those of the variant. */
  problems: (variant: Partial<Variant>, load: PooledLoad) => RuleProblem[];
}

/** What matters of a load to a pooler. */
export interface PooledLoad {
  /** The highest number of concurrent clients. */
  clients: number;
  /** As its tool says (workloads/extras.ts). */
  prepares: 'never' | 'by-protocol' | 'by-sql';
}

export interface PlaceOpener {
  /** Removes what killed runs of this user left here, and reports what it removed. */
  cleanUp(say: (line: string) => void, signal: AbortSignal): Promise<void>;
  /**
   * Looks for everything that the servers of the experiment need, before it makes anything.
   *
   * @returns the folder of PostgreSQL's client programs, those of other versions, and a function that opens the place. Its
   * caller must close the place
   */
  prepare(experiment: Experiment, options: OpenOptions): Promise<PreparedPlace>;
}

export interface PreparedPlace {
  programs: string;
  /** @default none */
  otherPrograms?: readonly string[];
  open: () => Promise<Place>;
}

export interface OpenOptions {
  /** The highest number of concurrent clients on a server. */
  clients: number;
  /** What relative paths of the experiment start from; absent if it names no source code. */
  folder?: string;
  pgBindir?: readonly string[] | undefined;
  volumes: VolumesChoice;
  /** Whether to use servers that an earlier command loaded and left, instead of new ones. */
  kept: boolean;
  /** Folder of the experiment's runs; absent where the place is not for a run. */
  results?: string;
  /** Whether servers may be measured that others use. @default false */
  allowActivity?: boolean | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  say: (line: string) => void;
  /** Says what speaks against the run, also where nothing else is to be shown. */
  warn: (text: string) => void;
  signal: AbortSignal;
}

/** The volumes of a variant as it declares them, in the same form at every place. Absent IOPS mean no limit. */
export interface DeclaredVolumes {
  /** AWS's name for the volume type; null on other disks. */
  type: string | null;
  /** null if not declared. */
  sizeGib: number | null;
  iops?: number | undefined;
  /** The volume for WAL alone; null if WAL shares the data volume. */
  log: { iops?: number | undefined } | null;
  /** Whether a volume has a limit, or WAL has a volume of its own. Otherwise, any disk will do. */
  areLimited: boolean;
  /** Standbys that the storage declares, not those that come with a Multi-AZ deployment; null for none. */
  standbys: { count: number; iops?: number | undefined } | null;
}
