import type { z } from 'zod';
import type { Workload } from '../contract/experiment/schema.ts';
import type { Assumption } from '../contract/plan.ts';
import type { GeneratorOptions, LoadGenerator } from './load-generator.ts';

/**
 * What every tool has that fills databases and puts load on them. Whoever adds a tool needs only this; whatever else some
 * tools have are interfaces of their own in extras.ts, which says what holds for a tool without them.
 *
 * A definition must load quickly, because loading an experiment, the plan and the CDK app import it. `open` loads the code
 * that works with the tool.
 *
 * Methods take a workload as the experiment declares it, or the workload of one level. Where it is partial, invalid values
 * are left out.
 */
export interface Tool<W extends Workload = Workload> {
  /** Name of the tool in `workload.tool`. */
  name: W['tool'];
  /** Schema of the workload's keys: strict, with defaults and descriptions. */
  schema: z.ZodObject & z.ZodType<W>;
  /** The metric for throughput. It decides if the experiment declares none. */
  throughput: string;
  shape(workload: W): WorkloadShape;
  durations(workload: W): WorkloadDurations;
  words(workload: W): WorkloadWords;
  /**
   * Everything that the loaded data depends on, besides the contents of files. A database that was loaded with another
   * value cannot be measured with this workload.
   */
  loadedBy(workload: W): unknown;
  driver: DriverNeeds;
  /**
   * What the tool's program says about its version.
   *
   * @param programs folder with PostgreSQL's client programs
   * @param where.signal ends it, with its reason
   * @throws {UserError} if the program is missing, or does not work
   */
  version(
    programs: string,
    where: Pick<GeneratorOptions<W>, 'workload' | 'scriptFolder' | 'downloadUntil'> & { signal: AbortSignal },
  ): Promise<string>;
  open(options: GeneratorOptions<W>): Promise<LoadGenerator>;
}

/** What all kinds of load have in common. */
export interface WorkloadShape {
  clients: number;
  /** What ends a trial. It decides which of `transactions` and `durationSeconds` is given. */
  limit: 'transactions' | 'time';
  /** Transactions of one trial over all clients; null if a time ends the trial. */
  transactions: number | null;
  /** Length of a trial; null if a number of transactions ends the trial. */
  durationSeconds: number | null;
  /** Transactions per second that are offered over all clients; null if clients are always busy. */
  offeredPerSecond: number | null;
  /** Whether nothing is written. Absent if the tool does not know it, as of scripts of the user's own. */
  onlyReads?: boolean;
}

export interface WorkloadDurations {
  /** Rows that one server loads per second, everything included, and the source of this number. */
  loadedRows: { value: number; source: string };
  /** Length of the measured part; null if it cannot be foreseen. */
  trialSeconds: number | null;
  /** Number of rows that VACUUM reads, and that a restore of the database copies; null if it cannot be foreseen. */
  rows: number | null;
  /** Size of what is loaded, with its indexes; null if it cannot be foreseen. */
  bytes: number | null;
  /** Whether `bytes` is so exact that a database of another size holds other data. @default true */
  isExact?: boolean;
  /**
   * Length of reset steps, as far as it depends on the workload, by the name of the step; null if it cannot be
   * foreseen.
   */
  resetSeconds?: Readonly<Record<string, number | null>>;
  assumptions: Assumption[];
}

export interface WorkloadWords {
  /** Summary for the report, such as `pgbench at scale 20, 24 clients on 2 threads, simple-update, 10 s per trial`. */
  summary: string;
  /** Pairs of a term and its text, for the plan. */
  facts: [term: string, words: string][];
}

/** What the tool needs on a driver with Amazon Linux 2023. */
export interface DriverNeeds {
  /** @param serverMajors major versions of PostgreSQL of all variants */
  packages(serverMajors: readonly number[]): string[];
  /** Programs that must be on the driver's PATH. */
  programs: readonly string[];
  /** Why no driver can have the program, with what the user can do instead, in words. @default every driver can */
  unavailable?: string;
  /**
   * Where the tool's own program runs only on x86_64: what the user can do about a driver with other processors, as a
   * sentence.
   */
  onlyX86?: (workload: Workload) => string | null;
  /**
   * What the driver downloads from the internet with this workload; null for nothing. Invalid values of the workload are
   * left out.
   *
   * @default nothing
   */
  downloads?: (workload: Partial<Workload>) => Download | null;
}

export interface Download {
  /** Such as a program, by its name. */
  what: string;
  /** What the user can do so that the driver downloads nothing, as a clause. */
  remedy: string;
}
