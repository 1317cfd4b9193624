import type { Client } from 'pg';
import type { z } from 'zod';
import type { Collector, Findings } from '../collect/collector.ts';
import type { Workload } from '../contract/experiment/schema.ts';
import type { Measures, MembersTable, Metric } from '../contract/metric.ts';
import type { Assumption } from '../contract/plan.ts';
import type { RuleProblem } from '../contract/check.ts';
import type { LoggedLoad, ToolRun } from '../contract/tool-output.ts';
import type { Facts, Level } from '../contract/trial.ts';
import type { Target } from '../postgres/target.ts';

/**
 * One tool that fills databases and puts load on them: everything that other code needs to know about it. It loads quickly,
 * since loading an experiment, the plan and the CDK app import it. `open` and `outputReader` load the code that works with
 * the tool. It is long because whoever adds a tool reads all of it, and nothing else.
 *
 * Methods take a workload as the experiment declares it, or the workload of one level, as `resolveLevel` makes it.
 */
export interface Tool<W extends Workload = Workload> {
  /** Name of the tool in `workload.tool`. */
  name: W['tool'];
  /** Schema of the workload's keys: strict, with defaults and descriptions. */
  schema: z.ZodObject & z.ZodType<W>;
  /** Keys of the workload, or of a map in it, of which an experiment gives one. @default none */
  alternatives?: readonly Alternatives[];
  /** Metrics that only this tool reports. */
  metrics: readonly Metric[];
  /** Tables of what it has several of, such as its procedures, by families among these metrics. @default none */
  tables?: readonly MembersTable[];
  /** The metric that says how much work was done in a time. It decides if the experiment declares none. */
  throughput: string;
  /** Collectors that read the tool's own logs. */
  collectors: readonly Collector[];
  /**
   * Problems of a workload: what the tool would refuse, or what contradicts itself. The values given are right by
   * themselves; others are left out.
   */
  problems(workload: Partial<W>): RuleProblem[];
  /** Problems of a workload together with the rest of the experiment, with their whole paths. */
  experimentProblems?(workload: Partial<W>, around: ExperimentAround): RuleProblem[];
  /**
   * Why a trial of this workload would not have a metric that the tool measures otherwise, or not so exactly that it may decide;
   * null if it has it. With a script, the metric is of that script alone.
   */
  lacks?(workload: Partial<W>, metric: string, script?: string): string | null;
  /** Why keys that a user might look for in a workload are not there, by the key. @default none */
  refusedKeys?: Readonly<Record<string, string>>;
  /** What is varied besides the variants, with its values: `{ clients: [8, 16] }`. */
  axes(workload: W): Record<string, readonly (string | number)[]>;
  /** The workload with the value of this level on each axis. */
  resolveLevel(workload: W, level: Level): W;
  shape(workload: W): WorkloadShape;
  /** Names of its scripts, in the order of their numbers, where it has several that metrics tell apart. @default none */
  scripts?(workload: Partial<W>): readonly string[];
  /** What the tool's own log of transactions does not say of itself. @default there is no such log */
  logged?(workload: W): LoggedLoad;
  durations(workload: W): WorkloadDurations;
  words(workload: W): WorkloadWords;
  /** Reset steps that only this tool has, by name. */
  resetSteps: Readonly<Record<string, ToolResetStep>>;
  /** Steps before each trial if the experiment names none. What is not right in the workload is left out of it. */
  defaultReset(workload: Partial<W>): readonly string[];
  /** Files that the workload names, relative to the experiment file. A deploy takes them to the driver. */
  files(workload: W): string[];
  /**
   * What can be told of a workload by reading its files, without a program or a server. It is quick: of a large file it reads the
   * beginning. What is not there is left to others.
   *
   * @param folder that their paths are relative to
   * @default nothing
   */
  readFiles?(workload: W, folder: string): { problems: RuleProblem[]; warnings: string[] };
  /** Programs of PostgreSQL besides pgbench that it starts on the driver. @default none */
  programs?(workload: W): string[];
  /** Those of the files that the loaded data depends on: with other contents, they load other data. @default none */
  loadFiles?(workload: W): string[];
  /** Those of the files that are read before or in trials, some of them perhaps also to load. @default all */
  trialFiles?(workload: W): string[];
  /**
   * Everything that the loaded data depends on. Databases that were loaded with another value of it cannot be measured with
   * this workload. It is quick, and does not read `loadFiles`: loaded-with.ts adds what is in them.
   */
  loadedBy(workload: W): unknown;
  /** The snapshot of the user's own database that takes the place of a load. @default none */
  restores?(workload: Partial<W>): OwnSnapshot | null;
  /** Table that grows with the work done; null if there is none. Histories of unequal size have an effect of their own. */
  growingTable(workload: W): string | null;
  /** Tables whose number of rows a load draws by chance, and may differ between servers. @default none */
  drawnTables?: readonly string[];
  /** Words for the names of identity facts (contract/trial.ts), such as `{ scale: 'the scale' }`. */
  identityWords: Readonly<Record<string, string>>;
  driver: DriverNeeds;
  /**
   * What the tool's program says of its version.
   *
   * @param programs folder with PostgreSQL's client programs
   * @param where.signal ends it, with its reason
   * @throws {UserError} if the program is not there, or does not work
   */
  version(
    programs: string,
    where: Pick<GeneratorOptions<W>, 'workload' | 'scriptFolder' | 'downloadUntil'> & { signal: AbortSignal },
  ): Promise<string>;
  /**
   * Lets the tool's program read what the user wrote for it, without a server and before anything is created: what it refuses
   * would fail every trial. It takes a moment.
   *
   * @param programs folder with PostgreSQL's client programs
   * @throws {UserError} with the file and what the program says
   */
  foresee?(
    programs: string,
    where: Pick<GeneratorOptions<W>, 'workload' | 'scriptFolder'> & { signal: AbortSignal },
  ): Promise<void>;
  open(options: GeneratorOptions<W>): Promise<LoadGenerator>;
  outputReader(): Promise<OutputReader>;
  /**
   * The measures that the raw output of a saved trial gives when it is read once more, without what other sources told.
   *
   * @param workload of the trial's level
   * @param folder of the trial
   * @throws {UserError} if the output is damaged
   * @default nobody reads it again
   */
  readAgain?(workload: W, folder: string, trial: { startedAt: Date; signal: AbortSignal }): Promise<Measures>;
  /** The measures and facts of a run that was read. */
  measuresOf(run: ToolRun): { measures: Measures; facts: Facts };
}

/** Keys that exclude each other. */
export interface Alternatives {
  keys: readonly string[];
  /** What a profile with another one of them takes back: the others, or all of their map, whose keys mean nothing beside it. */
  takeBack: 'others' | 'all';
}

/** What a tool may ask of the rest of an experiment. What is wrong by itself is left out. */
export interface ExperimentAround {
  warmUpSeconds: number | undefined;
  /** By which a warm-up may be longer. */
  phaseSeconds: number | undefined;
  networkMode: string | undefined;
  /** Whether any variant is an instance that a deploy makes. */
  deployed: boolean;
  /** Names of the collectors that the experiment wants. */
  collect: readonly string[] | undefined;
  /** Steps before each trial, in their order. */
  reset: readonly string[] | undefined;
}

/** What all kinds of load have in common. */
export interface WorkloadShape {
  clients: number;
  /** What ends a trial. Then either its work is given, or its length. */
  limit: 'transactions' | 'time';
  /** Transactions of one trial over all clients; null if a time ends the trial. */
  transactions: number | null;
  /** Length of a trial; null if a number of transactions ends the trial. */
  durationSeconds: number | null;
  /** Transactions per second that are offered over all clients; null if clients are always busy. */
  offeredPerSecond: number | null;
}

export interface WorkloadDurations {
  /** Rows that one server loads per second, everything included, and who says so. */
  loadedRows: { value: number; source: string };
  /** Length of the measured part; null if it cannot be foreseen. */
  trialSeconds: number | null;
  /** Number of rows that VACUUM reads, and that are copied to restore the database; null if it cannot be foreseen. */
  rows: number | null;
  /** Size of what is loaded, with its indexes; null if it cannot be foreseen. */
  bytes: number | null;
  /** Whether `bytes` is so exact that a database of another size holds other data. @default true */
  isExact?: boolean;
  /** Length of reset steps that depends on the workload, by the name of the step; null if it cannot be foreseen. */
  resetSeconds?: Readonly<Record<string, number | null>>;
  assumptions: Assumption[];
}

/** A snapshot of RDS that pgduet did not make, with what must be known to connect to what is restored from it. */
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
}

export interface GeneratorOptions<W extends Workload> {
  workload: W;
  /** Folder with PostgreSQL's client programs. */
  programs: string;
  /** Folder that paths of the workload's files are relative to. */
  scriptFolder: string;
  /** Names of the collectors that the experiment wants. */
  collect: readonly string[];
  /** The tool may download its program, as on a driver, until this aborts. @default it may not */
  downloadUntil?: AbortSignal | undefined;
}

/** The tool with one workload, ready to work. */
export interface LoadGenerator {
  /**
   * Fills the empty database of a target. Reports progress from 0 to 1.
   *
   * @param request.folder for its log. It may be known by a descriptor of this process, so that another program must not be told it
   */
  load(
    target: Target,
    request: { folder: string; signal: AbortSignal; onProgress: (done: number) => void },
  ): Promise<void>;
  /** What is there right after a load, as JSON. It is kept in the load mark, for `missing` to compare with later. */
  holds?(client: Client): Promise<unknown>;
  /**
   * What of the load is not there, each a phrase; empty if the database holds all of it. It does not read every row.
   *
   * @param held what `holds` found right after the load; undefined if there is no load mark yet
   */
  missing(client: Client, held?: unknown): Promise<string[]>;
  /** Carries out a reset step that has no statements. */
  reset?(target: Target, step: string, request: { signal: AbortSignal }): Promise<void>;
  /**
   * Carries out what the load consists of, so that a mistake in it, or a parameter under which it cannot work, shows before
   * the first trial and not in each of them.
   *
   * @throws {UserError} with the script and what the server says
   */
  tryScripts?(
    target: Target,
    request: { /** Empty, and removed afterwards. */ folder: string; signal: AbortSignal },
  ): Promise<void>;
  /**
   * How many transactions a second the tool itself can do with this workload's clients, which ask the server for nothing, or for
   * one statement. It takes a few seconds. Absent if the tool cannot tell.
   */
  ceiling?(target: Target, request: { folder: string; signal: AbortSignal; statement?: string }): Promise<number>;
  /** Runs load that is not measured for this number of seconds, with the settings of the trial. */
  warmUp(
    target: Target,
    request: { folder: string; seconds: number; seed: number; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<void>;
  /**
   * Measures one trial. Its raw output stays in the folder. Files that must not be uploaded if the trial does not finish go
   * into a folder below it.
   *
   * @throws if the run was aborted, was cut off, or did other work than was asked for: this is never a result
   */
  measure(
    target: Target,
    request: {
      folder: string;
      /** For everything that the tool draws: with the same seed, two targets get the same transactions. */
      seed: number;
      signal: AbortSignal;
      onProgress: OnProgress;
      /** Receives the id of the process that puts the load on, if there is one. */
      onProcess?: (pid: number) => void;
      /** To be called, and awaited, when the load has ended: to read its output may take long. @default as this method ends */
      onEnd?: () => Promise<void>;
    },
  ): Promise<Findings & { measures: Measures; facts: Facts }>;
  /** Ends what the warm-up has left for `measure`, since that will not be called. Does nothing if there is nothing. */
  abandon?(target: Target): Promise<void>;
}

/** Reads output of the tool that somebody kept. */
export interface OutputReader {
  recognises: (text: string) => boolean;
  /**
   * Reads one run after another. A long text takes long: whoever asks for the next run may do something else before.
   *
   * @param source name of the text in messages
   * @throws {UserError} if the text is not complete output of this tool
   */
  parse: (text: string, source: string) => Iterable<ToolRun>;
}

export type OnProgress = (progress: { elapsedSeconds: number; tps: number }) => void;
