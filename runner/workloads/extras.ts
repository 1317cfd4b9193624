import type { Collector } from '../collect/collector.ts';
import type { RuleProblem } from '../contract/check.ts';
import type { Workload } from '../contract/experiment/schema.ts';
import type { Measures, MembersTable, Metric } from '../contract/metric.ts';
import type { LoggedLoad, ToolRun } from '../contract/tool-output.ts';
import type { Facts } from '../contract/trial.ts';
import type { InParts } from '../files/in-parts.ts';
import type { GeneratorOptions } from './load-generator.ts';
import type { Tool } from './tool.ts';

/** A tool as its folder defines it: with what it has of the extras. registry.ts says what holds for all others. */
export type ToolDefinition<W extends Workload = Workload> = Tool<W> & Partial<Extras<W>>;

export type Extras<W extends Workload = Workload> = WithMetrics &
  WithKeys &
  WithRules<W> &
  WithScripts<W> &
  WithReset<W> &
  WithFiles<W> &
  WithTables &
  WithIdentity &
  WithOutput &
  WithSnapshot<W> &
  WithPrograms<W> &
  WithInspection<W> &
  WithValidation<W> &
  WithReparse<W>;

/** Metrics that only this tool reports. */
export interface WithMetrics {
  metrics: readonly Metric[];
  /** Tables of things that the tool has several of, such as procedures. Families of these metrics fill them. */
  tables: readonly MembersTable[];
  /** Collectors that read the tool's own logs. */
  collectors: readonly Collector[];
}

/** Keys of the workload that mean more than a value. */
export interface WithKeys {
  /** Those that may hold a list: what varies besides the variants, as in `clients: [8, 16]`. */
  listed: readonly string[];
  /** Those of it, or of a map in it, that exclude each other. */
  alternatives: readonly Alternatives[];
  /** Why it does not have a key that a user might expect, by the key. */
  refusedKeys: Readonly<Record<string, string>>;
}

/** What contradicts itself, or would be refused by the tool, although each value is valid by itself. */
export interface WithRules<W extends Workload> {
  problems(workload: Partial<W>): RuleProblem[];
  /** Problems of a workload together with the rest of the experiment, with their whole paths. */
  experimentProblems(workload: Partial<W>, around: ExperimentAround): RuleProblem[];
  /**
   * Why a trial of this workload would not have a metric that the tool otherwise measures, or not exactly enough to
   * decide; null if it would. With a script, the metric is of that script alone.
   */
  whyUnmeasured(workload: Partial<W>, metric: string, script?: string): string | null;
}

/** Scripts, and a log of every transaction. */
export interface WithScripts<W extends Workload> {
  /**
   * How clients prepare statements that belong to their sessions.
   *
   * @default never
   */
  prepares(workload: W): 'never' | 'by-protocol' | 'by-sql';
  /** Names of several that metrics distinguish, in the order of their numbers. */
  scripts(workload: Partial<W>): readonly string[];
  /** What the log does not say about itself. */
  logged(workload: W): LoggedLoad;
  /**
   * What the transactions do, in a form that is the same for the same statements: another one asks another question of
   * the variants.
   *
   * @param folder that paths of the workload's files are relative to
   */
  statements(workload: W, folder: string): readonly string[];
}

export interface WithReset<W extends Workload> {
  /** Reset steps that only this tool has, by name. */
  resetSteps: Readonly<Record<string, ToolResetStep>>;
  /** Steps before each trial if the experiment names none. */
  defaultReset(workload: Partial<W>): readonly string[];
}

/** Files that the workload names, relative to the experiment file. A deploy takes them to the driver. */
export interface WithFiles<W extends Workload> {
  /** Those that are read before or during trials. A load may read some of them, too. */
  trialFiles(workload: Partial<W>): string[];
  /** Those that the loaded data depends on: with other contents, they load other data. */
  loadFiles(workload: Partial<W>): string[];
}

export interface WithInspection<W extends Workload> {
  /**
   * What the files of a workload show, without a program or a server. It reads only the beginning of a large file. Other
   * checks report a missing file.
   *
   * @param folder that their paths are relative to
   */
  readFiles(workload: Partial<W>, folder: string): InParts<InspectedFiles>;
}

/** Programs of PostgreSQL, besides pgbench, that the tool starts on the driver. */
export interface WithPrograms<W extends Workload> {
  programs(workload: W): string[];
  /** Whether it must be told the address of a server: it cannot ask libpq for that of a service. */
  needsAddress: boolean;
}

export interface WithSnapshot<W extends Workload> {
  /** The snapshot of the user's own database that replaces a load. */
  restores(workload: Partial<W>): OwnSnapshot | null;
}

/** Tables that need not have the same size on all servers. */
export interface WithTables {
  /** The one that grows with the work done. Different sizes of it would have an effect of their own. */
  growingTable: string | null;
  /** Those whose number of rows a load draws at random, so that it may differ between servers. */
  drawnTables: readonly string[];
}

/** The identity facts of its trials (contract/trial.ts). */
export interface WithIdentity {
  /** Words for their names, such as `{ scale: 'the scale' }`. */
  identityWords: Readonly<Record<string, string>>;
  /**
   * Those of these names that say which work was offered. Runs that differ in one of them are never taken together, and
   * are compared only if the user asks for it.
   */
  conditions: readonly string[];
}

/** Saved output that can be read without an experiment. */
export interface WithOutput {
  outputReader(): Promise<OutputReader>;
  /** The measures and facts of a run from `outputReader`. */
  measuresOf(run: ToolRun): { measures: Measures; facts: Facts };
}

export interface WithValidation<W extends Workload> {
  /**
   * Lets the tool's program read what the user wrote for it, without a server and before anything is created. What the
   * program refuses here would fail every trial. It takes a moment.
   *
   * @param programs folder with PostgreSQL's client programs
   * @throws {UserError} with the file and what the program says
   */
  validateScripts(
    programs: string,
    where: Pick<GeneratorOptions<W>, 'workload' | 'scriptFolder' | 'otherPrograms'> & { signal: AbortSignal },
  ): Promise<void>;
}

export interface WithReparse<W extends Workload> {
  /**
   * The measures from reading the raw output of a saved trial again, without those from other sources.
   *
   * @param workload of the trial's level
   * @param folder of the trial
   * @throws {UserError} if the output is damaged
   */
  reparse(workload: W, folder: string, trial: { startedAt: Date; signal: AbortSignal }): Promise<Measures>;
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

export interface ToolResetStep {
  /** Name of the step in words, for the report. */
  words: string;
  expectedSeconds: number;
  /** null if `reset` of the load generator carries the step out. */
  statements: readonly string[] | null;
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
