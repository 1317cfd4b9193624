import { warningSchema } from './warnings.ts';
import * as z from 'zod';
import { builtSchema } from './built.ts';
import { storedExperimentSchema } from './experiment/schema.ts';
import { deployedDatabaseSchema, parameterFindingSchema } from './server-facts.ts';
import { startSchema } from './start.ts';
import { fileNameSchema, levelSchema } from './trial.ts';
import { instantSchema } from './versioned-file.ts';

/** US dollars; `low` and `high` differ if sources disagree on a price. */
const dollarsSchema = z.object({ low: z.number(), high: z.number() });

const partSchema = z.object({
  /** Such as `10,000 IOPS of io2`. */
  what: z.string(),
  /**
   * Its unit, such as `class=db.r5.16xlarge deployment=single-az kind=database-instance`: parts with the same unit have
   * the same price.
   */
  unit: z.string(),
  /** Whether it is part of a dedicated log volume. */
  logVolume: z.boolean(),
  /** For a month of 730 hours; null if the price is not known. */
  dollarsPerMonth: dollarsSchema.nullable(),
  /** Where the price comes from, and its date; null if it is not known. */
  source: z.string().nullable(),
  date: z.string().nullable(),
});

/**
 * What one server of a variant costs, on demand: its instance, storage, IOPS, throughput and log volume. Parts that are
 * needed only to measure it, such as the driver, are left out.
 */
const variantCostSchema = z.object({
  region: z.string(),
  /** null if the price of a part is not known. */
  dollarsPerHour: dollarsSchema.nullable(),
  dollarsPerMonth: dollarsSchema.nullable(),
  parts: z.array(partSchema),
});

export type VariantCost = z.output<typeof variantCostSchema>;

export const measuredVolumeSchema = z.object({
  /** Name such as `with-dlv-log`. */
  volume: z.string(),
  /**
   * Writes of `writeBytes` per second that its limits allow. The limit of throughput may be tighter than that of IOPS.
   */
  requestedIops: z.number(),
  writeBytes: z.number(),
  /** Queue depth -> writes per second that were measured. */
  measuredIops: z.record(z.string(), z.number()),
});

/** What AWS bills while the place exists, and when that ends. */
const billSchema = z.object({
  /** US dollars; null if the price is not known. */
  dollarsPerHour: z.number().nullable(),
  /** What happens to the place when the run has ended and everything is saved, and after how many minutes. */
  whenDone: z.enum(['destroy', 'keep']),
  graceMinutes: z.number(),
  /** When it deletes itself in any case; null if it never does. */
  expiresAt: instantSchema.nullable(),
});

export type Bill = z.output<typeof billSchema>;

/** Kinds of storage for local variants. */
export const volumesKinds = ['limited', 'folders'] as const;

/** The place where the variants ran. */
const placeSchema = z.object({
  /** One of those that this pgduet has, such as `local` or `deployed` (places/registry.ts). */
  kind: z.string(),
  description: z.string(),
  /** What this place cannot show. */
  caveats: z.array(z.string()),
  /** Volumes of limited IOPS, as measured before the trials; empty in deployed runs. */
  volumes: z.array(measuredVolumeSchema),
  /**
   * Storage of local variants: volumes of limited IOPS, or plain folders. Absent in deployed runs, and in older ones.
   */
  volumesKind: z.enum(volumesKinds).optional(),
  /** Whether existing servers were measured although others may use them; absent if not. */
  allowActivity: z.literal(true).optional(),
  /** Absent in local runs, which cost nothing. */
  bill: billSchema.optional(),
});

/** One server of a variant. If a variant has several, each has a record of its own. */
const variantSchema = z.object({
  /** Name of the variant. */
  name: z.string(),
  /** Number of the server among those of its variant, from 1, as its trials have it; absent if it is the only one. */
  replica: z.int().optional(),
  description: z.string().nullable(),
  serverVersion: z.string().nullable(),
  /** Settings that were in force, by name, with pg_settings' units spelled out, such as `wal_buffers: '8192 (8kB)'`. */
  settings: z.record(z.string(), z.string()),
  /**
   * The parameters that the experiment asks for, and what was in force on the server when the run began. Absent if this
   * was not checked, as in results of earlier versions.
   */
  parameters: z.array(parameterFindingSchema).optional(),
  /** All that the server says about its build, such as its compiler. Absent in results of earlier versions. */
  serverBuild: z.string().optional(),
  /** What pgduet built of it; absent if everything was installed. */
  built: builtSchema.optional(),
  /** What RDS said about it when the run began; absent in local runs. */
  deployed: deployedDatabaseSchema.optional(),
  /** What it costs at the prices that were saved when the run began; absent in local runs. */
  cost: variantCostSchema.optional(),
});

export type ResultVariant = z.output<typeof variantSchema>;

/** The machine that generated the load; in local runs, also that of the servers. */
const machineSchema = z.object({
  name: z.string(),
  /** Such as `Linux 6.1.0-18-cloud-amd64`. */
  system: z.string(),
  processor: z.string(),
  /** Those that pgduet may use: a limit of a control group may be a fraction. */
  processors: z.number(),
  /** What pgduet and local servers may use of it. */
  memoryBytes: z.number(),
  /**
   * Physical cores: several processors may be threads of one. This and all below is absent if the machine does not say.
   */
  cores: z.int().optional(),
  /** File system of the folder with the local servers, otherwise of the results. */
  fileSystem: z
    .object({
      /** Such as `ext4`. */
      type: z.string(),
      /** Absent if it is on no disk of its own, such as tmpfs or that of a container. */
      disk: z
        .object({
          /** Such as `nvme0n1`. */
          device: z.string(),
          model: z.string().optional(),
          /** As the kernel believes; virtual disks often seem to be rotational. */
          rotational: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
  /** What it is a virtual machine of, such as `Amazon EC2 m7i.large`. Absent if nothing shows that it is one. */
  virtualisation: z.string().optional(),
  /** Whether scripts could start programs that gain rights, such as sudo. Absent if they could not, and in older runs. */
  programsMayGainRights: z.literal(true).optional(),
});

export type Machine = z.output<typeof machineSchema>;

/** The load generator. */
const usedToolSchema = z.object({
  name: z.string(),
  /** As its program says, such as `pgbench (PostgreSQL) 15.18`. */
  version: z.string(),
  /** SHA-256 of the files that the workload names, by their names there. */
  files: z.record(z.string(), z.string()),
});
const ceilingSchema = z.object({
  /** Such as `{ clients: 16 }`; empty if nothing but the variant is varied. */
  level: levelSchema,
  /** Transactions a second without a server. */
  tps: z.number(),
});

export type Ceiling = z.output<typeof ceilingSchema>;

export type UsedTool = z.output<typeof usedToolSchema>;

/** What is known of a run when it begins. Times are ISO 8601 in UTC, durations seconds, sizes bytes. */
export const runShape = {
  toolVersion: z.string(),
  experiment: z.object({
    name: fileNameSchema,
    question: z.string(),
    profile: z.string(),
    baseline: z.string(),
    seed: z.int(),
    definition: storedExperimentSchema,
    /**
     * Its file in the folder of the run, such as `inputs/files/quick.yaml`: the copy that was run. With it, the run can
     * be repeated. Absent in results of earlier versions.
     */
    file: z.string().optional(),
    /**
     * Folder that relative paths of source code start from, relative to the folder of the run. A run does not copy what it
     * builds. Absent if nothing was built.
     */
    codeFolder: z.string().optional(),
  }),
  place: placeSchema,
  /** Absent in results of earlier versions, as `tool` is. */
  machine: machineSchema.optional(),
  tool: usedToolSchema.optional(),
  /** What the load generator itself was capable of on the driver, by level; absent if this was not measured. */
  ceilings: z.array(ceilingSchema).optional(),
  /**
   * A mark by which its user knows that the run was made on this machine (files/own-mark.ts): then its files may run again
   * without a question. Absent on a driver, and if the user keeps nothing between runs.
   */
  origin: z.string().optional(),
  startedAt: instantSchema,
  /** Which start of its question this is. Absent if starts are not counted: deployed, or for a design without verdicts. */
  start: startSchema.optional(),
  variants: z.array(variantSchema),
  /** What a reader must know before believing the result. */
  warnings: z.array(warningSchema),
};

const runSchema = z.object(runShape);

export type RunRecord = z.output<typeof runSchema>;
const remedy = 'Specify a pgduet run folder, such as results/quick/latest.';
const olderRemedy = 'Read it with that version of pgduet, or rerun.';

/** run.json: written once, before loading. A result is made from this file and the trials, and nothing else. */
export const runFile = {
  kind: 'pgduet-run',
  what: 'a run of pgduet',
  schemaVersion: 2,
  schema: runSchema,
  remedy,
  olderRemedy,
};
