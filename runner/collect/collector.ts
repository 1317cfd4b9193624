import type { Client } from '../postgres/client.ts';
import type { EventsBetween, Facts, StorageWork, Trial, TrialPlacement } from '../contract/trial.ts';
import type { Measures, MembersTable, Metric, SeriesRow, TrialSeries } from '../contract/metric.ts';
import type { ReadServerLog, ServerVolume } from '../contract/server.ts';
import type { LoggedLoad } from '../contract/tool-output.ts';
import type { Target } from '../postgres/target.ts';

/** The measured part of a trial, as Unix times in milliseconds. `to` is exclusive. */
export interface Window {
  from: number;
  to: number;
}

const minute = 60_000;

/**
 * The time of the load, without the warm-up. The trial itself ends later, when its logs have been digested. Meanwhile
 * the servers are idle.
 */
export function windowOf({ startedAt, endedAt, measures }: Pick<Trial, 'startedAt' | 'endedAt' | 'measures'>): Window {
  const [from, ended] = [Date.parse(startedAt), Date.parse(endedAt)];
  const seconds = measures['load.seconds'] ?? measures['runtime'] ?? null;
  return { from, to: seconds === null ? ended : Math.min(ended, from + seconds * 1000) };
}

/** The starts of the clock minutes that lie wholly in a window. Values per minute are valid only for these. */
export function wholeMinutes(window: Window): number[] {
  return wholePeriods(window, minute);
}

/** The same for periods of any length, in milliseconds. */
export function wholePeriods({ from, to }: Window, length: number): number[] {
  const first = Math.ceil(from / length);
  const count = Math.max(0, Math.floor(to / length) - first);
  return Array.from({ length: count }, (_, index) => (first + index) * length);
}

/**
 * The second of a trial in which something was seen. Second 0 begins with the measured part; earlier seconds are
 * negative. All series count like this, so that they can be joined by second.
 *
 * @param at Unix time in milliseconds
 */
export function secondOf(at: number, startedAt: Date): number {
  return Math.floor((at - startedAt.getTime()) / 1000);
}

/**
 * What a source needs a server to be set to. A server that is set otherwise does not refuse to answer: it says zero, or
 * that a session does nothing. So whatever a source finds without it is a gap, and no value.
 */
export interface Need {
  /** Name of the parameter, such as `track_counts`. */
  setting: string;
  /** Whether the server tells the truth with this value, as pg_settings shows it. */
  suffices: (value: string) => boolean;
  /** What is not known otherwise, as a clause, such as `deadlocks are not counted`. */
  gap: string;
  /** Such as `set it to on`. */
  remedy: string;
  /** Metrics that are gaps otherwise. @default all that the source finds */
  metrics?: RegExp;
  /** Whether processes of the server count, too. They do not have the settings of a role or a database. */
  everywhere?: true;
  /**
   * Whether the figures of a trial contradict that its sessions counted: a script may have set the parameter for its own
   * session, which no other session can ask about.
   */
  isDenied?: (measures: Measures) => boolean;
}

/**
 * One source of evidence about trials, such as a view of PostgreSQL, this machine or an AWS service. Its module must
 * load quickly, since loading an experiment imports it.
 */
export interface Collector {
  name: string;
  /** Whether an experiment may leave it out (`collect`). Evidence that the validity checks need is always collected. */
  optional: boolean;
  /** What it measures, and what is derived from that. The catalogue contains all of it. */
  metrics: readonly Metric[];
  /**
   * Tables of things that a server can have several of, such as volumes. Families among these metrics fill them.
   *
   * @default none
   */
  tables?: readonly MembersTable[];
  /**
   * What it needs of the server's settings. Without that, what it finds is replaced by a gap that has a name (needs.ts), so
   * no source looks at these settings itself. @default nothing
   */
  needs?: readonly Need[];
  /** Names of metrics of the catalogue that it also measures, but that another part of pgduet defines. */
  alsoMeasures?: readonly string[];
  /** Called once for each server of each variant, before its first trial. */
  describe?(variant: DescribedVariant): Promise<VariantFindings>;
  /** Called right before the load. pgduet stops the collection that it returns right after the load. */
  start?(trial: CollectedTrial): Promise<Collection>;
  /**
   * For sources that answer only minutes later. Called with all finished trials when the run has ended.
   *
   * @returns findings by the id of the trial, without the trials that have nothing new
   * @throws {UserError} if the source does not answer; the trials count without it
   */
  collectAfterRun?: (trials: readonly Trial[], context: LaterContext) => Promise<ReadonlyMap<string, Findings>>;
}

/**
 * The measured part of a trial. A collection gets it only when the load has ended. Sources start before the load, so
 * none can take another moment for the start. Every series counts its seconds from `startedAt`.
 */
export interface MeasuredPart {
  startedAt: Date;
  /** When the load had ended. */
  endedAt: Date;
  /**
   * From the moment when all clients of the load were ready until its last transaction had ended, as the load generator
   * knows it; absent if it does not.
   */
  load?: Window;
}

/** A collection that runs during one trial. */
export interface Collection {
  /** Called when the load has just ended. It must not take long: other trials of the same block may still be measured. */
  stop?(part: MeasuredPart): Promise<Findings>;
  /**
   * Called when the whole step has ended. Work that takes time belongs here.
   *
   * @param found what the load and the sources that have stopped measured
   */
  finish?(part: MeasuredPart, found: Measures): Promise<Findings>;
  /**
   * Ends it because the trial has failed, even if the server hangs.
   *
   * @default `stop` with an empty measured part; its findings are dropped
   */
  abandon?(): Promise<void>;
}

export interface Findings {
  measures?: Measures;
  series?: readonly SeriesRow[];
  facts?: Facts;
  /** Only of a load: see `MeasuredPart.load`. */
  load?: Window;
  /** Each is a full sentence. */
  warnings?: readonly string[];
}

export interface DescribedVariant {
  variant: string;
  /** Names of the parameters that the experiment sets for any variant. */
  parameters: readonly string[];
  database: UseDatabase;
}

export interface VariantFindings {
  settings?: Record<string, string>;
}

export interface CollectedTrial extends TrialPlacement {
  id: string;
  /** Folder of the trial's own files. */
  folder: string;
  target: Target;
  /** The volumes of the server; absent if they are not on this machine. */
  volumes?: readonly ServerVolume[];
  /** Absent if the server's log is out of reach. */
  serverLog?: ReadServerLog;
  /** Major version of the measured server, such as 16. */
  serverMajor: number;
  /** Table of the tool that grows with the work done; null if there is none. */
  growingTable: string | null;
  /** What the load's own log does not say about itself. */
  logged: LoggedLoad;
  /**
   * Provides a connection for short queries. All collectors share one when they start, and another one when they stop.
   */
  database: UseDatabase;
  /**
   * Resolves to the id of the load generator's process once it has started; never, if the load is not a process of its
   * own.
   */
  loadProcess: Promise<number>;
  /** Ids of processes that belong to the run but were not started by it; absent if there are none. */
  ownProcesses?: () => readonly number[];
  /** How often a source that samples the server's sessions does so, in seconds. */
  sampleSeconds: number;
  /** When the warm-up began; null without one. */
  warmUpStartedAt: Date | null;
  now: () => Date;
  signal: AbortSignal;
  /** Both are absent if pgduet itself runs the server. */
  eventsBetween?: EventsBetween;
  storageWork?: StorageWork;
}

/**
 * What a place knows of its servers when the run has ended. Sources that only one place has know it by more than this.
 */
export interface PlaceSources {
  /**
   * Asks for the servers' logs, one trial after another, where they can be read only after the run.
   *
   * @returns findings by the id of the trial; absent evidence where a log could not be read
   */
  readLogs(collector: string, trials: readonly Trial[], question: LogQuestion): Promise<Map<string, Findings>>;
}

export interface LogQuestion {
  /** How long before and after a trial a line may have been written, in milliseconds. */
  before: number;
  after: number;
  isWanted: (line: string) => boolean;
  find: (lines: readonly string[], trial: { startedAt: Date; endedAt: Date }) => Findings;
}

export interface LaterContext {
  eventsBetween?: EventsBetween;
  /** Absent if pgduet itself runs the servers. */
  sources?: PlaceSources;
  now: () => Date;
  /** Resolves after this number of seconds, or rejects if the run is interrupted. */
  pause: (seconds: number) => Promise<void>;
  /** The series of a trial, including those that earlier sources have added after the run. */
  seriesOf: (trial: Trial) => Promise<TrialSeries>;
}

export type UseDatabase = <T>(use: (client: Client) => Promise<T>) => Promise<T>;
