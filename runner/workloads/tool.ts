import type { z } from 'zod';
import type { Collector } from '../collect/collector.ts';
import type { Workload } from '../contract/experiment/schema.ts';
import type { Measures, Metric } from '../contract/metric.ts';
import type { Assumption } from '../contract/plan.ts';
import type { RuleProblem } from '../contract/rule-problem.ts';
import type { Run } from '../contract/tool-output.ts';
import type { Facts, Level } from '../contract/trial.ts';
import type { Target } from '../postgres/target.ts';

/**
 * One tool that fills databases and puts load on them: all that the rest needs to know of it. It is light, since loading an
 * experiment, the plan and the CDK app import it; `open` and `outputReader` load what really works with the tool.
 *
 * Methods take a workload as the experiment declares it, or of one level, as `atLevel` makes it.
 */
export interface Tool<W extends Workload = Workload> {
  /** As `workload.tool` says it. */
  name: W['tool'];
  /** Keys of the workload, strict, with defaults and descriptions. */
  schema: z.ZodObject & z.ZodType<W>;
  /** What it reports beside the metrics of the catalogue that are not a tool's. */
  metrics: readonly Metric[];
  /** What reads its own logs. */
  collectors: readonly Collector[];
  /** What the tool would refuse, or that contradicts itself; of those values that are right by themselves. */
  problems(workload: Partial<W>): RuleProblem[];
  /** What is varied beside the variants, with its values: `{ clients: [8, 16] }`. */
  axes(workload: W): Record<string, readonly (string | number)[]>;
  /** The workload with one value on each axis. */
  atLevel(workload: W, level: Level): W;
  shape(workload: W): WorkloadShape;
  durations(workload: W): WorkloadDurations;
  words(workload: W): WorkloadWords;
  /** Steps of a reset that only this tool has, by name. */
  resetSteps: Readonly<Record<string, ToolResetStep>>;
  /** What is done before each trial where the experiment says nothing. */
  defaultReset: readonly string[];
  /** Files that the workload names, relative to the experiment file: they go along to the driver. */
  files(workload: W): string[];
  /** What the loaded data depends on: databases loaded for another value of it cannot be measured with this one. */
  loadedBy(workload: W): unknown;
  /** Table that grows with the work done, where there is one: unequal histories are an effect of their own. */
  growingTable: string | null;
  /** Names of identity facts (contract/trial.ts) in words, such as `{ scale: 'the scale' }`. */
  identityWords: Readonly<Record<string, string>>;
  driver: DriverNeeds;
  open(options: GeneratorOptions<W>): Promise<LoadGenerator>;
  outputReader(): Promise<OutputReader>;
  /** What a run that was read counts as. */
  measuresOf(run: Run): { measures: Measures; facts: Facts };
}

/** What all kinds of load have in common. */
export interface WorkloadShape {
  clients: number;
  /** What ends a trial: then its work is given, or its length. */
  limit: 'transactions' | 'time';
  /** Transactions of one trial over all clients; null where it ends after a time. */
  transactions: number | null;
  /** Length of a trial; null where it ends after so many transactions. */
  durationSeconds: number | null;
  /** Transactions that are offered in a second over all clients; null where clients are always busy. */
  offeredPerSecond: number | null;
}

export interface WorkloadDurations {
  loadSeconds: number;
  /** Length of the measured part; null where nobody can foretell. */
  trialSeconds: number | null;
  /** What VACUUM reads and a copy copies. */
  rows: number;
  assumptions: Assumption[];
}

export interface WorkloadWords {
  /** For the report, such as `pgbench at scale 20, 24 clients on 2 threads, simple-update, 10 s per trial`. */
  summary: string;
  /** For the plan: pairs of a term and what is to be said of it. */
  facts: [term: string, words: string][];
}

export interface ToolResetStep {
  /** In words for the report. */
  words: string;
  expectedSeconds: number;
  statements: readonly string[];
}

/** What a driver on Amazon Linux 2023 must have. */
export interface DriverNeeds {
  /** @param serverMajors majors of PostgreSQL of all variants */
  packages(serverMajors: readonly number[]): string[];
  /** On its PATH. */
  programs: readonly string[];
}

export interface GeneratorOptions<W extends Workload> {
  workload: W;
  /** Folder with PostgreSQL's client programs. */
  programs: string;
  /** What the workload's files are relative to. */
  scriptFolder: string;
  /** Names of the collectors that the experiment wants. */
  collect: readonly string[];
}

/** The tool at work, with one workload. */
export interface LoadGenerator {
  /** Fills the empty database of a target. Progress from 0 to 1. */
  load(
    target: Target,
    request: { folder: string; signal: AbortSignal; onProgress: (done: number) => void },
  ): Promise<void>;
  /** Load that is not measured, with the trial's own settings, for so many seconds. */
  warmUp(
    target: Target,
    request: { folder: string; seconds: number; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<void>;
  /**
   * One trial; its raw output stays in the folder. What must not be uploaded of a trial that did not finish goes into a
   * folder below it.
   *
   * @throws where the run was aborted, cut off or did other work than asked for: that is never a result.
   */
  measure(
    target: Target,
    request: { folder: string; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<{ measures: Measures; facts: Facts }>;
}

/** Reads outputs of the tool that somebody kept. */
export interface OutputReader {
  recognises: (text: string) => boolean;
  /** @throws {UserError} naming `source` for what is no whole output of this tool */
  parse: (text: string, source: string) => Run[];
}

export type OnProgress = (progress: { elapsedSeconds: number; tps: number }) => void;
