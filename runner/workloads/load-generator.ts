import type { Client } from '../postgres/client.ts';
import type { Findings } from '../collect/collector.ts';
import type { Workload } from '../contract/experiment/schema.ts';
import type { Measures } from '../contract/metric.ts';
import type { Facts } from '../contract/trial.ts';
import type { Target } from '../postgres/target.ts';

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

export type OnProgress = (progress: { elapsedSeconds: number; tps: number }) => void;
