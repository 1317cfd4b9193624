import type { Client } from 'pg';
import type { z } from 'zod';
import type { Collector, Findings } from '../collect/collector.ts';
import type { Workload } from '../contract/experiment/schema.ts';
import type { Measures, MembersTable, Metric } from '../contract/metric.ts';
import type { Assumption } from '../contract/plan.ts';
import type { RuleProblem } from '../contract/check.ts';
import type { LoggedLoad, ToolRun } from '../contract/tool-output.ts';
import type { Facts, Level } from '../contract/trial.ts';
import type { InParts } from '../files/in-parts.ts';
import type { Target } from '../postgres/target.ts';

/**
 * Everything that other code needs to know about a tool that fills databases and puts load on them. The definition of a
 * tool must load quickly, because loading an experiment, the plan and the CDK app import it. `open` and `outputReader`
 * load the code that works with the tool. This interface is long because whoever adds a tool reads all of it, and
 * nothing else.
 *
 * Methods take a workload as the experiment declares it, or the workload of one level, as `resolveLevel` returns it.
 */
export interface Tool<W extends Workload = Workload> {
  /** Name of the tool in `workload.tool`. */
  name: W['tool'];
  /** Schema of the workload's keys: strict, with defaults and descriptions. */
  schema: z.ZodObject & z.ZodType<W>;
  /** Keys of the workload, or of a map in it, that exclude each other. @default none */
  alternatives?: readonly Alternatives[];
  /** Metrics that only this tool reports. */
  metrics: readonly Metric[];
  /**
   * Tables of things that the tool has several of, such as procedures. Families of these metrics fill them.
   *
   * @default none
   */
  tables?: readonly MembersTable[];
  /** The metric for throughput. It decides if the experiment declares none. */
  throughput: string;
  /** Collectors that read the tool's own logs. */
  collectors: readonly Collector[];
  /**
   * Problems of a workload: what the tool would refuse, or what contradicts itself. Each given value is valid by
   * itself; invalid ones are left out.
   */
  problems(workload: Partial<W>): RuleProblem[];
  /** Problems of a workload together with the rest of the experiment, with their whole paths. */
  experimentProblems?(workload: Partial<W>, around: ExperimentAround): RuleProblem[];
  /**
   * Why a trial of this workload would not have a metric that the tool otherwise measures, or not exactly enough to
   * decide; null if it would. With a script, the metric is of that script alone.
   */
  whyUnmeasured?(workload: Partial<W>, metric: string, script?: string): string | null;
  /** Why the workload does not have a key that a user might expect, by the key. @default none */
  refusedKeys?: Readonly<Record<string, string>>;
  /** What varies besides the variants, with its values: `{ clients: [8, 16] }`. */
  axes(workload: W): Record<string, readonly (string | number)[]>;
  /** The workload with the value of this level on each axis. */
  resolveLevel(workload: W, level: Level): W;
  shape(workload: W): WorkloadShape;
  /**
   * What the transactions do, in a form that is the same for the same statements: another one asks another question of
   * the variants.
   *
   * @param folder that paths of the workload's files are relative to
   * @default the tool decides that alone
   */
  statements?(workload: W, folder: string): readonly string[];
  /** Names of its scripts, in the order of their numbers, if it has several that metrics distinguish. @default none */
  scripts?(workload: Partial<W>): readonly string[];
  /** What the tool's log of transactions does not say about itself. @default there is no such log */
  logged?(workload: W): LoggedLoad;
  durations(workload: W): WorkloadDurations;
  words(workload: W): WorkloadWords;
  /** Reset steps that only this tool has, by name. */
  resetSteps: Readonly<Record<string, ToolResetStep>>;
  /** Steps before each trial if the experiment names none. Invalid values of the workload are left out. */
  defaultReset(workload: Partial<W>): readonly string[];
  /**
   * Files that the workload names, relative to the experiment file. A deploy takes them to the driver. Invalid values of
   * the workload are left out.
   */
  files(workload: Partial<W>): string[];
  /**
   * What the files of a workload show, without a program or a server. It reads only the beginning of a large file. Other
   * checks report a missing file. Invalid values of the workload are left out.
   *
   * @param folder that their paths are relative to
   * @default nothing
   */
  readFiles?(workload: Partial<W>, folder: string): InParts<InspectedFiles>;
  /** Programs of PostgreSQL, besides pgbench, that the tool starts on the driver. @default none */
  programs?(workload: W): string[];
  /** Those of `files` that the loaded data depends on: with other contents, they load other data. @default none */
  loadFiles?(workload: W): string[];
  /** Those of `files` that are read before or during trials. A load may read some of them, too. @default all */
  trialFiles?(workload: W): string[];
  /**
   * Everything that the loaded data depends on. A database that was loaded with another value cannot be measured with
   * this workload. It is quick, and does not read `loadFiles`: loaded-with.ts adds their contents.
   */
  loadedBy(workload: W): unknown;
  /** The snapshot of the user's own database that replaces a load. @default none */
  restores?(workload: Partial<W>): OwnSnapshot | null;
  /**
   * Table that grows with the work done; null if there is none. Different sizes of it would have an effect of their
   * own.
   */
  growingTable(workload: W): string | null;
  /** Tables whose number of rows a load draws at random, so that it may differ between servers. @default none */
  drawnTables?: readonly string[];
  /** Words for the names of identity facts (contract/trial.ts), such as `{ scale: 'the scale' }`. */
  identityWords: Readonly<Record<string, string>>;
  /**
   * Those of these names that say which work was offered. Runs that differ in one of them are never taken together, and
   * are compared only if the user asks for it.
   */
  conditions: readonly string[];
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
  /**
   * Lets the tool's program read what the user wrote for it, without a server and before anything is created. What the
   * program refuses here would fail every trial. It takes a moment.
   *
   * @param programs folder with PostgreSQL's client programs
   * @throws {UserError} with the file and what the program says
   */
  validateScripts?(
    programs: string,
    where: Pick<GeneratorOptions<W>, 'workload' | 'scriptFolder' | 'otherPrograms'> & { signal: AbortSignal },
  ): Promise<void>;
  open(options: GeneratorOptions<W>): Promise<LoadGenerator>;
  outputReader(): Promise<OutputReader>;
  /**
   * The measures from reading the raw output of a saved trial again, without those from other sources.
   *
   * @param workload of the trial's level
   * @param folder of the trial
   * @throws {UserError} if the output is damaged
   * @default the output is not read again
   */
  reparse?(workload: W, folder: string, trial: { startedAt: Date; signal: AbortSignal }): Promise<Measures>;
  /** The measures and facts of a run from `outputReader`. */
  measuresOf(run: ToolRun): { measures: Measures; facts: Facts };
}

/** Keys that exclude each other. */
export interface Alternatives {
  keys: readonly string[];
  /**
   * What a profile with another of these keys takes back: the others, or all of their map if its keys mean nothing with
   * the new key.
   */
  takeBack: 'others' | 'all';
}

/** What a tool may know about the rest of an experiment. Invalid values are left out. */
export interface ExperimentAround {
  warmUpSeconds: number | undefined;
  /** How much longer a warm-up may be. */
  phaseSeconds: number | undefined;
  /** Names of the collectors that the experiment wants. */
  collect: readonly string[] | undefined;
  /** Steps before each trial, in their order. */
  reset: readonly string[] | undefined;
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

/** What the files of a workload show. */
export interface InspectedFiles {
  problems: RuleProblem[];
  /** About what is not part of the run's inputs. */
  warnings: string[];
  /** Paths of files that the workload does not name, and that these files are seen to read. */
  others: string[];
}

/** A snapshot in RDS that pgduet did not make, with what it takes to connect to a server restored from it. */
export interface OwnSnapshot {
  /** Name or ARN. */
  snapshot: string;
  database: string;
  /** The master user, who comes with the snapshot. */
  user: string;
}

export interface WorkloadWords {
  /** Summary for the report, such as `pgbench at scale 20, 24 clients on 2 threads, simple-update, 10 s per trial`. */
  summary: string;
  /** Pairs of a term and its text, for the plan. */
  facts: [term: string, words: string][];
}

export interface ToolResetStep {
  /** Name of the step in words, for the report. */
  words: string;
  expectedSeconds: number;
  /** null if `reset` of the load generator carries the step out. */
  statements: readonly string[] | null;
}

/** What the tool needs on a driver with Amazon Linux 2023. */
export interface DriverNeeds {
  /** @param serverMajors major versions of PostgreSQL of all variants */
  packages(serverMajors: readonly number[]): string[];
  /** Programs that must be on the driver's PATH. */
  programs: readonly string[];
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

export interface GeneratorOptions<W extends Workload> {
  workload: W;
  /** Folder with PostgreSQL's client programs. */
  programs: string;
  /** Folders with those of other versions, for what not every version can read. @default none */
  otherPrograms?: readonly string[] | undefined;
  /** Folder that paths of the workload's files are relative to. */
  scriptFolder: string;
  /** Names of the collectors that the experiment wants. */
  collect: readonly string[];
  /** The tool may download its program, as on a driver, until this aborts. @default no download */
  downloadUntil?: AbortSignal | undefined;
}

/** What the first transactions of a load took. */
export interface TriedOut {
  /** The script whose transactions take longest. */
  script: string;
  /** Seconds of one of its transactions if it is long, with all clients at once. */
  seconds: number;
}

/** The tool with one workload, ready to work. */
export interface LoadGenerator {
  /**
   * Fills the empty database of a target. Reports progress from 0 to 1.
   *
   * @param request.folder for its log. Its path may refer to a descriptor of this process, so do not pass it to another
   *   program
   */
  load(
    target: Target,
    request: { folder: string; signal: AbortSignal; onProgress: (done: number) => void },
  ): Promise<void>;
  /**
   * What the database holds right after a load, as JSON. The load mark keeps it, for `missing` to compare with later.
   */
  holds?(client: Client): Promise<unknown>;
  /**
   * What is missing from the load, each a phrase; empty if the database holds all of it. It does not read every row.
   *
   * @param held what `holds` found right after the load; undefined if there is no load mark yet
   */
  missing(client: Client, held?: unknown): Promise<string[]>;
  /** Carries out a reset step that has no statements. */
  reset?(target: Target, step: string, request: { signal: AbortSignal }): Promise<void>;
  /**
   * Runs what the load consists of, so that a mistake in it, or a parameter that breaks it, shows before the first
   * trial and not in every trial.
   *
   * @returns what a transaction took; null if the tool does not say
   * @throws {UserError} with the script and what the server says
   */
  tryScripts?(
    target: Target,
    request: { /** Empty, and removed afterwards. */ folder: string; signal: AbortSignal },
  ): Promise<TriedOut | null>;
  /**
   * How many transactions a second the tool itself can do with this workload's clients if they ask the server for
   * nothing, or for one statement. It takes a few seconds. Absent if the tool cannot measure it.
   */
  ceiling?(target: Target, request: { folder: string; signal: AbortSignal; statement?: string }): Promise<number>;
  /** Runs the load for this number of seconds without measuring it, with the settings of the trial. */
  warmUp(
    target: Target,
    request: { folder: string; seconds: number; seed: number; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<void>;
  /**
   * Measures one trial. Its raw output stays in the folder. Files that must not be uploaded if the trial does not
   * finish go into a folder below it.
   *
   * @throws if the run was aborted, was cut off, or did other work than was asked for: such a run is never a result
   */
  measure(
    target: Target,
    request: {
      folder: string;
      /** For everything that the tool draws at random: with the same seed, two targets get the same transactions. */
      seed: number;
      signal: AbortSignal;
      onProgress: OnProgress;
      /** Receives the id of the process that generates the load, if there is one. */
      onProcess?: (pid: number) => void;
      /**
       * The method may call and await it as soon as the load has ended, because reading the output may take long.
       *
       * @default the load ends with this method
       */
      onEnd?: () => Promise<void>;
    },
  ): Promise<Findings & { measures: Measures; facts: Facts }>;
  /** Ends what the warm-up has left for `measure`, which will not be called. Does nothing if nothing is left. */
  abandon?(target: Target): Promise<void>;
}

/** Reads saved output of the tool. */
export interface OutputReader {
  /**
   * Reads one start of the tool after another; none if the text has none. It throws for no text. A long text takes long,
   * so the caller may do other work between two runs.
   */
  parse: (text: string) => Iterable<ToolRun>;
  /** What a text of this tool is if no start can be read from it, in words; null if it is not from this tool. */
  otherwise?: (text: string) => string | null;
}

export type OnProgress = (progress: { elapsedSeconds: number; tps: number }) => void;
