import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Collector } from '../../../runner/collect/collector.ts';
import type { Result } from '../../../runner/contract/result.ts';
import type { RunEvent } from '../../../runner/contract/status.ts';
import { serverName, serversOf } from '../../../runner/contract/server.ts';
import { makePlan } from '../../../runner/experiment/plan/plan.ts';
import type { Place } from '../../../runner/places/place.ts';
import type { ActiveRun, Run } from '../../../runner/run/run-shape.ts';
import { keepInputs } from '../../../runner/run/inputs.ts';
import { carryOutRun } from '../../../runner/run/run.ts';
import { readRunFolder, runFolder } from '../../../runner/storage/run-folder.ts';
import type { RunStore, StoredRun } from '../../../runner/storage/run-store.ts';
import { hashFiles } from '../../../runner/workloads/loaded-with.ts';
import { type FullTool, toolOf } from '../../../runner/workloads/registry.ts';
import type { LoadGenerator } from '../../../runner/workloads/load-generator.ts';
import { parsedExperiment } from '../samples/parsed-experiment.ts';

export interface FakeRunOptions {
  protocol?: object;
  workload?: object;
  /** Changes to the experiment besides. */
  experiment?: object;
  tool?: Partial<FullTool>;
  generator?: Partial<LoadGenerator>;
  collectors?: readonly Collector[];
  place?: Partial<Place>;
  costs?: Run['costs'];
  blind?: boolean;
  driver?: Partial<Run['driver']>;
  /** Path of the experiment file, beside which the workload's files lie. */
  file?: string;
  /** Files that lie beside a made-up experiment file, by their names. */
  files?: Readonly<Record<string, string>>;
  /** Receives every event, and the run as it is at that moment. */
  onEvent?: (event: RunEvent) => void;
  /** Folder of a run that is resumed. */
  folder?: string;
}

export interface FakeRun {
  execution: Run;
  /** The run as it is when the servers are there. */
  running: () => Promise<ActiveRun>;
  place: Place;
  store: RunStore;
  folder: string;
  /** What place, load and stages did, in order. Tests add what their collectors do. */
  log: string[];
  events: RunEvent[];
  interrupt: (reason: string) => void;
  killServer: (server: string, reason: string) => void;
  stored: () => StoredRun;
  carryOut: (changes?: Partial<Run>) => Promise<Result | null>;
}

/**
 * A run of two variants. Its servers and load are made up; its plan, record and files are real. A test that carries out
 * more than `measureTrials` must replace connections by fake-connect.ts.
 */
export function fakeRun(options: FakeRunOptions = {}): FakeRun {
  const log: string[] = [];
  const events: RunEvent[] = [];
  // Alone in its folder: runs beside each other are starts of one question.
  const folder = options.folder ?? mkdtempSync(path.join(temporaryFolder(), 'run-'));
  const interruption = new AbortController();
  const experiment = parsedExperiment({
    name: 'made-up',
    question: 'Which is faster?',
    variants: { one: { storage: { type: 'local' } }, two: { storage: { type: 'local' } } },
    baseline: 'one',
    // A key that a test takes away is undefined.
    workload: Object.fromEntries(
      Object.entries<unknown>({ ...smallLoad, ...options.workload }).filter(([, value]) => value !== undefined),
    ),
    protocol: { blocks: 1, warmUpSeconds: 3, order: 'fixed', ...options.protocol },
    ...options.experiment,
  });
  const servers = serversOf(Object.keys(experiment.variants), experiment.protocol.replicas).map(serverName);
  const deaths = new Map(servers.map((server) => [server, new AbortController()]));
  const place = fakePlace(deaths, log, options.place);
  const store = runFolder(folder, folder);
  const file = options.file ?? path.join(options.files ? folderWith(options.files) : '/made-up', 'made-up.yaml');
  let milliseconds = Date.UTC(2026, 10, 21, 12);
  const execution: Run = {
    stages: { load: true, run: true },
    earlier: null,
    isResumed: false,
    keep: false,
    say: () => undefined,
    profile: 'full',
    plan: makePlan(experiment, 'full'),
    experiment,
    tool: { ...toolOf(experiment.workload), ...options.tool },
    programs: '/nonexistent',
    collectors: options.collectors ?? [],
    inputs: { file, text: 'name: made-up\n' },
    generatorsIn: () => () => Promise.resolve({ ...fakeGenerator(log), ...options.generator }),
    openPlace: () => Promise.resolve(place),
    openStore: () => store,
    driver: {
      machine: { name: 'driver', system: 'Linux 6', processor: 'made up', processors: 2, memoryBytes: 2 ** 30 },
      tool: {
        name: 'pgbench',
        version: 'pgbench (PostgreSQL) 16.15',
        files: hashFiles(Object.keys(options.files ?? {}), path.dirname(file)),
      },
      ...options.driver,
    },
    ...(options.costs ? { costs: options.costs } : {}),
    report(event) {
      events.push(event);
      if (event.kind === 'stage-started') log.push(`stage ${event.stage} of ${event.trial.conditions.variant}`);
      options.onEvent?.(event);
    },
    blind: options.blind,
    signal: interruption.signal,
    startedAt: new Date(milliseconds),
    // Each call gives a time one second later than the call before.
    now: () => new Date((milliseconds += 1000)),
    async pause(seconds, signal) {
      await Promise.resolve();
      signal.throwIfAborted();
      milliseconds += seconds * 1000;
    },
  };
  return {
    execution,
    place,
    store,
    folder,
    log,
    events,
    async running() {
      const kept = await keepInputs(execution, folder);
      return {
        ...execution,
        place,
        store,
        kept,
        foundAgain: { settings: new Map(), shapes: new Map() },
        tried: new Map(),
        steps: [],
        generatorAt: execution.generatorsIn(kept.scriptFolder),
      };
    },
    interrupt: (reason) => interruption.abort(new Error(reason)),
    killServer: (server, reason) => deaths.get(server)?.abort(new Error(reason)),
    stored: () => readRunFolder(folder),
    carryOut: async (changes) => (await carryOutRun({ ...execution, ...changes }))?.result ?? null,
  };
}

const smallLoad = {
  tool: 'pgbench',
  scale: 1,
  clients: 2,
  durationSeconds: 10,
  scripts: [{ builtin: 'tpcb-like' }],
};

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

/** A folder that is deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'fake-run-'));
  // Programs in it may run as another user.
  chmodSync(folder, 0o711);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A collector with only the parts that matter to a test. */
export function fakeCollector(name: string, rest: Partial<Collector> = {}): Collector {
  return { name, optional: false, metrics: [], ...rest };
}

function fakePlace(
  deaths: ReadonlyMap<string, AbortController>,
  log: string[],
  changes: Partial<Place> | undefined,
): Place {
  const targets = [...deaths].map(([server, { signal }]) => ({
    server,
    host: 'localhost',
    port: 1,
    user: 'nobody',
    database: 'none',
    environment: {},
    asked: { parameters: {}, version: null },
    failed: signal,
  }));
  return {
    kind: 'local',
    description: 'servers that are made up',
    caveats: [],
    volumeChecks: [],
    targets: new Map(targets.map((target) => [target.server, target])),
    activateOnly(servers) {
      log.push(`under test: ${servers.join(', ') || 'none'}`);
      return Promise.resolve();
    },
    close() {
      log.push('place closed');
      return Promise.resolve(null);
    },
    ...changes,
  };
}

function fakeGenerator(log: string[]): LoadGenerator {
  return {
    load({ server }, { onProgress }) {
      log.push(`fill ${server}`);
      onProgress(1);
      return Promise.resolve();
    },
    missing: () => Promise.resolve([]),
    warmUp({ server }, { seconds }) {
      log.push(`warm up ${server} for ${seconds} s`);
      return Promise.resolve();
    },
    measure({ server }) {
      log.push(`load on ${server}`);
      return Promise.resolve({ measures: { tps: 100, transactions: 1000 }, facts: {} });
    },
  };
}
