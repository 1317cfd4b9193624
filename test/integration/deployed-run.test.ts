import { deniedSources } from '../helpers/fakes/fake-sources.ts';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { stringify } from 'yaml';
import { verifyFolder } from '../../runner/analysis/verify/verify-run.ts';
import { bucketReader } from '../../runner/rds/bucket/bucket-run.ts';
import { openAddress } from '../../runner/analysis/open-result.ts';
import { boundClient, defaultBounds } from '../../runner/rds/aws/bound-client.ts';
import { prepareRun, seedDrawer } from '../../runner/cli/actions/prepare-run.ts';
import { presentResult } from '../../runner/cli/actions/present-result.ts';
import { type Binding, bindingParameterName, databasesParameterName } from '../../runner/rds/contract/binding.ts';
import type { RunEvent, RunStatus } from '../../runner/contract/status.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { runDeployed } from '../../runner/rds/driver/run-deployed.ts';
import { Gate } from '../faults/deployed/gate.ts';
import { bucketAnswer, Permission, serve, type StoredObject } from '../faults/deployed/services.ts';
import { fakeStack } from '../helpers/fakes/fake-stack.ts';
import { fakeAws, jsonAnswer, s3Error } from '../helpers/fakes/fake-aws.ts';
import { fakeIo, type Printed } from '../helpers/fakes/fake-io.ts';
import { boundInstance, rdsInstance, rdsWithInstance, sampleBinding } from '../helpers/fakes/fake-rds.ts';
import { type FakeS3, fakeS3 } from '../helpers/fakes/fake-s3.ts';
import { startTlsCluster, type TlsCluster } from '../helpers/servers/tls-cluster.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

// Three seconds of each run, which ceiling.test.ts shows.
vi.mock('../../runner/workloads/pgbench/ceiling.ts', () => ({ measureCeiling: () => Promise.resolve(1e6) }));

// Only the runs that nothing disturbs need their reports.
const made = vi.hoisted(() => ({ reports: true }));
vi.mock('../../runner/report/write-report.ts', async (original) => {
  const actual = await original<typeof import('../../runner/report/write-report.ts')>();
  const writeReport = (...of: Parameters<typeof actual.writeReport>) =>
    made.reports ? actual.writeReport(...of) : Promise.resolve();
  return { ...actual, writeReport };
});

// What waits for S3 waits less, so that the tests do not: a quarter of a minute in all while a run measures, and two seconds after it.
vi.mock('../../runner/rds/bucket/bucket-store.ts', async (original) => {
  const actual = await original<typeof import('../../runner/rds/bucket/bucket-store.ts')>();
  const bucketStore: typeof actual.bucketStore = (local, bucket, warn, within) =>
    actual.bucketStore(local, bucket, warn, within && { ...within, patienceSeconds: 5 });
  return { ...actual, bucketStore };
});
vi.mock('../../runner/run/retry.ts', async (original) => {
  const actual = await original<typeof import('../../runner/run/retry.ts')>();
  const keepTrying: typeof actual.keepTrying = (attempt, { pause, ...options }) =>
    actual.keepTrying(attempt, { ...options, pause: (seconds, signal) => pause(Math.min(2, seconds), signal) });
  return { ...actual, keepTrying };
});

const common = {
  class: 'db.r6g.large',
  storage: { type: 'io2', sizeGib: 200, iops: 3000 },
  dedicatedLogVolume: true,
};

/** Both variants are the same server: the test is about the way there and back. */
const experiment = {
  name: 'dlv',
  question: 'Does it run?',
  variants: { 'with-dlv': {}, without: {} },
  baseline: 'without',
  workload: { tool: 'pgbench', scale: 1, clients: 2, durationSeconds: 1, rate: 40 },
  // Checks of validity fail on a busy machine. Other tests show what happens to such blocks.
  protocol: { blocks: 2, repeats: 0, warmUpSeconds: 0 },
};
/** Half of its trials, for tests that ask what comes after them. */
const oneBlock = { protocol: { ...experiment.protocol, blocks: 1 } };
const prefix = 'dlv/alice/0a1b/';

let cluster: TlsCluster;
let folder: string;
let s3: FakeS3;

beforeAll(async () => {
  cluster = await startTlsCluster();
});
afterAll(() => cluster.remove());
function begin(): void {
  folder = mkdtempSync(path.join(tmpdir(), 'deployed-run-'));
  s3 = fakeS3();
}
const end = (): void => rmSync(folder, { recursive: true });
beforeEach(begin);
afterEach(end);

interface Ended extends Printed {
  events: RunEvent[];
  /** The last status, if the run had ended before. */
  endedBefore: RunStatus | null;
  error: unknown;
}

/** Carries out a deployed run as `pgduet load-run` does on a driver, with clients that are answered by this test. */
async function loadRun(
  options: { resume?: boolean } = {},
  {
    changes = {},
    bound: changedBinding = {},
    later = {},
    onEvent = () => undefined,
    verb = 'load-run',
    openS3 = () => s3.client,
  }: {
    changes?: object;
    /** What the driver's binding says. */
    bound?: Partial<Binding>;
    /** What the binding says that a later deploy has left. */
    later?: Partial<Binding>;
    onEvent?: (event: RunEvent, interruption: AbortController) => void;
    verb?: 'load-run' | 'run';
    /** The client of S3, for the signal of the command. @default a bucket in memory */
    openS3?: (interrupted: AbortSignal) => S3Client;
  } = {},
): Promise<Ended> {
  const file = path.join(folder, 'dlv.yaml');
  writeFileSync(
    file,
    stringify({ ...experiment, common: { ...common, engine: { version: cluster.version } }, ...changes }),
  );
  const bound = boundInstance({ engineVersion: cluster.version });
  const endpoint = { Endpoint: { Address: 'localhost', Port: cluster.target.port } };
  const secret = JSON.stringify({ username: cluster.target.user, password: cluster.password });
  const interruption = new AbortController();
  const environment = { PGSSLROOTCERT: cluster.authority };
  const { io, printed } = fakeIo({ workingFolder: folder, signal: interruption.signal, environment });
  const events: RunEvent[] = [];
  const binding = { ...sampleBinding({ 'with-dlv': bound, without: bound }), ...changedBinding };
  const parameters = {
    [bindingParameterName(binding.experiment.name, binding.owner)]: JSON.stringify({ ...binding, ...later }),
    [databasesParameterName(binding.experiment.name, binding.owner)]: later.deploy ?? binding.deploy,
  };
  const ssm = fakeAws(({ input }) => jsonAnswer({ Parameter: { Value: parameters[String(input['Name'])] } }));
  let [endedBefore, error]: [RunStatus | null, unknown] = [null, null];
  try {
    const how = { out: 'results', ...(options.resume ? { resume: true as const } : {}) };
    const loaded = loadExperiment(file, { folder, profile: 'full', drawSeed: seedDrawer(how, io) });
    const run = await prepareRun(loaded, { ...how, consent: {}, beginning: { more: '' } }, binding, io);
    if (!run) throw new Error('a dry run');
    endedBefore = await runDeployed(
      run,
      {
        binding,
        clients: {
          cloudFormation: fakeStack(),
          ...deniedSources(),
          rds: rdsWithInstance(rdsInstance({ ...endpoint, EngineVersion: cluster.version })).client,
          s3: openS3(io.signal),
          secrets: new SecretsManagerClient(fakeAws(() => jsonAnswer({ SecretString: secret })).options),
          ssm: new SSMClient(ssm.options),
        },
      },
      {
        stages: { load: verb === 'load-run', run: true },
        resume: options.resume === true,
        environment,
        pgBindir: [cluster.programs],
        signal: io.signal,
        results: path.join(folder, 'results/dlv'),
        report(event) {
          events.push(event);
          onEvent(event, interruption);
        },
        say: () => undefined,
        present: (result, store) => presentResult(result, store, {}, io),
      },
    );
  } catch (caught) {
    error = caught;
  }
  return { ...printed(), events, endedBefore, error };
}

function kinds({ events }: Ended, kind: RunEvent['kind']): RunEvent[] {
  return events.filter((event) => event.kind === kind);
}

function status(): RunStatus {
  return JSON.parse(s3.objects.get(`${prefix}status.json`) ?? '') as RunStatus;
}

/** The made-up account lets nobody read the logs of Enhanced Monitoring. */
const refusedHere = expect.stringContaining('enhanced-monitoring returned no data: logs:GetLogEvents') as string;

describe('load-run on deployed variants that nothing disturbs', () => {
  let whole: { ended: Ended; s3: FakeS3; folder: string };
  beforeAll(async () => {
    begin();
    whole = { ended: await loadRun(), s3, folder };
  });
  afterAll(() => {
    made.reports = false;
    rmSync(whole.folder, { recursive: true });
  });
  beforeEach(() => ({ s3 } = whole));

  it('measures by verified TLS and leaves everything in S3, the result after its trials', async () => {
    const { exitCode, error, stderr } = whole.ended;
    expect(error).toBeNull();
    expect(exitCode).toBe(0);
    expect(status()).toMatchObject({ state: 'finished', current: null, plannedTrials: 4, problems: [refusedHere] });
    expect(status().trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished', 'finished']);

    const run = `${prefix}${status().run}`;
    expect(stderr).toContain(`s3://results-bucket/${run}report.html`);
    const names = [...s3.objects.keys()].filter((key) => key.startsWith(run)).map((key) => key.slice(run.length));
    expect(names).toEqual(
      expect.arrayContaining(['result.json', 'report.html', 'report.md', 'load-with-dlv.log', 'load-without.log']),
    );
    expect(names.filter((name) => /^trials\/.*\/trial\.json$/.test(name))).toHaveLength(4);
    expect(names.filter((name) => /^trials\/.*\/pgbench\.stdout\.log$/.test(name))).toHaveLength(4);
    const lastTrial = s3.written.findLastIndex((key) => key.includes('/trials/'));
    expect(s3.written.lastIndexOf(`${run}result.json`)).toBeGreaterThan(lastTrial);

    const onDriver = path.join(whole.folder, 'results/dlv', path.basename(run));
    expect(await verifyFolder(onDriver, new AbortController().signal)).toMatchObject({
      agrees: true,
      findings: [],
      resultMadeAgain: true,
      trials: { checked: 4, readAgain: 4 },
    });

    const { result, location } = await openAddress(bucketReader(s3.client), `s3://results-bucket/${prefix}`);
    expect(location).toBe(`s3://results-bucket/${run}`);
    expect(result).toMatchObject({ complete: true, place: { kind: 'deployed' } });
    expect(result.variants[0]?.deployed).toMatchObject({ class: 'db.r6g.large', availabilityZone: 'us-east-1b' });
  });

  it('shows each trial while it is measured, however short it is', () => {
    const observed = s3
      .statuses()
      .flatMap(({ current }) => (current?.stage === 'measure' ? [current.trialNumber] : []));
    expect([...new Set(observed)]).toEqual([1, 2, 3, 4]);
  });

  it('shows no password anywhere', () => {
    expect(s3.objects.size).toBeGreaterThan(0);
    for (const content of s3.objects.values()) expect(content).not.toContain(cluster.password);
  });

  it('says that the stack may go only after its end, when every object was seen in the bucket', () => {
    const { saved, deleteAfter, run } = status();
    const objects = [...s3.objects.keys()].filter((key) => key.startsWith(`${prefix}${run}`));
    expect(saved?.objects).toBe(objects.length);
    expect(Date.parse(deleteAfter ?? '') - Date.parse(saved?.at ?? '')).toBe(30 * 60_000);
    for (const body of s3.statuses()) {
      if (body.state === 'running' || body.saved === null) expect(body.deleteAfter).toBeNull();
    }
  });
});

describe('load-run on deployed variants', () => {
  it('goes on after a reboot with the trials that are missing, without loading again', async () => {
    let ended = 0;
    await loadRun(
      {},
      {
        onEvent({ kind }, interruption) {
          if (kind === 'trial-ended' && ++ended === 2) interruption.abort(new Error('interrupted by SIGTERM'));
        },
      },
    );
    expect(status()).toMatchObject({
      state: 'interrupted',
      problems: [expect.stringContaining('interrupted by SIGTERM')],
    });
    const { run, startedAt } = status();

    // What is in the folder of a driver that lost its power in mid-trial.
    for (const variant of ['with-dlv', 'without']) {
      const begun = path.join(folder, `results/dlv/latest/trials/block-02-1-${variant}/transactions`);
      mkdirSync(begun, { recursive: true });
      writeFileSync(path.join(begun, 'pgbench_log.1'), '0 1 1000 0 1700000000 1\n');
    }

    const second = await loadRun({ resume: true });
    expect(second.error).toBeNull();
    expect(kinds(second, 'loaded')).toEqual([]);
    expect(kinds(second, 'trial-skipped')).toHaveLength(2);
    expect(status()).toMatchObject({ state: 'finished', run, startedAt });
    const logs = [...s3.objects.keys()].flatMap((key) => /([^/]+)\/transactions\//.exec(key)?.[1] ?? []);
    expect(logs.sort()).toEqual([...new Set(logs)]);
    expect(logs).toHaveLength(4);

    const uploads = s3.written.length;
    const third = await loadRun({ resume: true });
    expect(third).toMatchObject({
      exitCode: 0,
      error: null,
      endedBefore: { state: 'finished', run, saved: status().saved },
    });
    expect(s3.written).toHaveLength(uploads);
  });

  it('goes on after a power loss in mid-load with the servers that are missing, in the same run', async () => {
    let loaded = 0;
    await loadRun(
      {},
      {
        changes: oneBlock,
        onEvent({ kind }, interruption) {
          if (kind === 'loaded' && ++loaded === 1) interruption.abort(new Error('interrupted by SIGTERM'));
        },
      },
    );
    const { run, startedAt } = status();
    const second = await loadRun({ resume: true }, { changes: oneBlock });
    expect(second.error).toBeNull();
    // Both variants are the same server here, so that the first load served both.
    expect(kinds(second, 'loaded')).toEqual([]);
    expect(kinds(second, 'load-skipped')).toHaveLength(2);
    expect(status()).toMatchObject({ state: 'finished', run, startedAt });

    const third = await loadRun({}, { changes: { workload: { ...experiment.workload, scale: 2 } }, verb: 'run' });
    expect(third.error).toHaveProperty('message', expect.stringMatching(/ was loaded by pgbench with scale 1, /));
  });

  it('goes on after a power loss in the middle of a restore: the database is restored from its copy', async () => {
    const changes = { protocol: { ...oneBlock.protocol, reset: ['restore'] } };
    let ended = 0;
    await loadRun(
      {},
      {
        changes,
        onEvent({ kind }, interruption) {
          if (kind === 'trial-ended' && ++ended === 1) interruption.abort(new Error('interrupted by SIGTERM'));
        },
      },
    );
    const { database } = cluster.target;
    await queryOn({ ...cluster.target, database: 'postgres' }, `DROP DATABASE "${database}" WITH (FORCE)`);
    const second = await loadRun({ resume: true }, { changes });
    expect(second.error).toBeNull();
    expect(kinds(second, 'loaded')).toEqual([]);
    expect(status()).toMatchObject({ state: 'finished', plannedTrials: 2 });
  });

  it('begins another run where a later deploy asks for one, on the databases as they are', async () => {
    // With --resume also where there is nothing to go on with.
    expect(await loadRun({ resume: true }, { changes: oneBlock })).toMatchObject({ exitCode: 0, error: null });
    const { run } = status();
    const protocol = { ...oneBlock.protocol, warmUpSeconds: 1 };
    const bound = { deploy: 'bbbbbbbbbbbb' };
    const second = await loadRun({ resume: true }, { changes: { protocol }, bound });
    expect(second.error).toBeNull();
    expect(kinds(second, 'loaded')).toEqual([]);
    expect(kinds(second, 'trial-skipped')).toEqual([]);
    expect(status()).toMatchObject({ state: 'finished', plannedTrials: 2 });
    expect(status().run).not.toBe(run);
    const { result } = await openAddress(bucketReader(s3.client), `s3://results-bucket/${prefix}`);
    expect(result.warnings.map(({ id }) => id)).toContain('databases-used');
    const runs = new Set([...s3.objects.keys()].flatMap((key) => /\/(runs\/[^/]+\/)/.exec(key)?.[1] ?? []));
    expect(runs).toEqual(new Set([run, status().run]));
  });

  it('ends after its trial for a later deploy that aborts it, and claims nothing then', async () => {
    const later: Partial<Binding> = { deploy: 'ffffffffffff', running: 'abort' };
    const { error, exitCode } = await loadRun({}, { later });
    expect({ error, exitCode }).toEqual({ error: null, exitCode: 1 });
    expect(status()).toMatchObject({
      state: 'stopped',
      deploy: 'a1b2c3d4e5f6',
      problems: ['Another deploy, of profile full, has replaced this run.'],
    });
    const { result } = await openAddress(bucketReader(s3.client), `s3://results-bucket/${prefix}`);
    expect(result.complete).toBe(false);
    expect(result.trials.map(({ state }) => state)).toEqual(['finished']);
  });

  it('uploads later what did not get through at first', async () => {
    let warned = false;
    s3.answerWith((key) =>
      warned || !key.includes('/trials/block-01')
        ? undefined
        : s3Error('AccessDenied', 'not authorized to perform: s3:PutObject', 403),
    );
    const onEvent = ({ kind }: RunEvent) => (warned ||= kind === 'warning');
    const ended = await loadRun({}, { changes: oneBlock, onEvent });
    expect(ended.error).toBeNull();
    expect(kinds(ended, 'warning')).toEqual([
      {
        kind: 'warning',
        text: expect.stringMatching(/^s3:PutObject of .* was denied: .* pgduet will retry/) as string,
      },
      { kind: 'warning', text: refusedHere },
    ]);
    expect(status()).toMatchObject({
      state: 'finished',
      problems: [expect.stringContaining('s3:PutObject'), refusedHere],
    });
    expect([...s3.objects.keys()].filter((key) => key.endsWith('/trial.json'))).toHaveLength(2);
  });

  it('says nothing is saved while S3 refuses, stops when told, and saves at the next start without measuring', async () => {
    s3.answerWith(() => s3Error('AccessDenied', 'not authorized to perform: s3:PutObject', 403));
    const first = await loadRun(
      {},
      {
        changes: oneBlock,
        onEvent(event, interruption) {
          const isLast = event.kind === 'warning' && event.text.includes('keeps retrying');
          if (isLast) interruption.abort(new Error('interrupted by SIGTERM'));
        },
      },
    );
    expect(first.error).toHaveProperty(
      'message',
      expect.stringMatching(/^Not all of the results are in S3\. The complete results are in .*results\/dlv\//),
    );
    expect(first.stderr).not.toContain('Report   s3://');
    const result = readFileSync(path.join(folder, 'results/dlv/latest/result.json'), 'utf8');
    expect(JSON.parse(result)).toMatchObject({ complete: true });
    expect(s3.objects.size).toBe(0);

    s3.answerWith(() => undefined);
    const second = await loadRun({ resume: true }, { changes: oneBlock });
    expect(second).toMatchObject({ error: null, endedBefore: { state: 'finished' } });
    expect(kinds(second, 'stage-started')).toEqual([]);
    expect(status()).toMatchObject({ state: 'finished', saved: { objects: s3.objects.size - 1 } });
    expect(status().problems).toContainEqual(expect.stringContaining('Not all of the results are in S3'));
  });

  it('sends an object again that is not in the bucket as it was sent', async () => {
    let lost = false;
    s3.answerWith((key, method) => {
      if (lost || method !== 'HEAD' || !key.endsWith('/result.json')) return undefined;
      lost = true;
      s3.objects.delete(key);
      return undefined;
    });
    let interrupted: AbortController | undefined;
    await loadRun(
      {},
      {
        changes: oneBlock,
        onEvent: ({ kind }, interruption) => kind === 'warning' && (interrupted = interruption).abort(),
      },
    );
    expect(interrupted).toBeDefined();
    expect(status()).toMatchObject({ state: 'finished', saved: null, deleteAfter: null });
    await loadRun({ resume: true }, { changes: oneBlock });
    expect(status().saved).not.toBeNull();
    expect(s3.objects.has(`${prefix}${status().run}result.json`)).toBe(true);
  });

  it('does not begin anew after a failed trial, when the driver starts again', async () => {
    const changes = { ...oneBlock, workload: { ...experiment.workload, scripts: [{ file: 'wrong.sql' }] } };
    // It works where one client tries it out.
    writeFileSync(path.join(folder, 'wrong.sql'), 'SELECT 1 / (1 - :client_id);\n');
    const first = await loadRun({}, { changes });
    expect(first.exitCode).toBe(1);
    expect(status()).toMatchObject({ state: 'failed', saved: { objects: expect.any(Number) as number } });
    const { run, deleteAfter } = status();
    const again = await loadRun({ resume: true }, { changes });
    expect(kinds(again, 'step-started')).toEqual([]);
    expect(status()).toMatchObject({ state: 'failed', run, deleteAfter });
  });

  it('stops when the hours of the experiment are over', async () => {
    const limits = { hours: 20 / 3600 };
    // This takes an unknown time, so that the run is not refused at once.
    const workload = { tool: 'pgbench', scale: 1, clients: 2, transactions: 10_000, scripts: [{ file: 'slow.sql' }] };
    writeFileSync(path.join(folder, 'slow.sql'), 'SELECT pg_sleep(0.1);\n');
    const { error, exitCode } = await loadRun({}, { changes: { workload, limits } });
    expect(error).toBeNull();
    expect(exitCode).toBe(1);
    expect(status()).toMatchObject({
      state: 'stopped',
      problems: [expect.stringMatching(/^Stopped by limits\.hours \(20 s\), counted from 20/)],
    });
    const { result } = await openAddress(bucketReader(s3.client), `s3://results-bucket/${prefix}`);
    expect(result).toMatchObject({ complete: false, stoppedBy: { id: 'limit-reached' } });
  });

  it('refuses a plan that its limit cannot hold', async () => {
    const limits = { hours: 0.001 };
    const workload = { ...experiment.workload, durationSeconds: 60 };
    const { error } = await loadRun({}, { changes: { workload, limits } });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/^Rejected: limits\.hours is 0\.001: the run is expected to take/),
    );
    expect(s3.written).toEqual([]);
  });
});

describe('while S3 is silent', () => {
  /** A bucket behind a way that can be closed. */
  async function gatedS3(totalSeconds: number) {
    const objects = new Map<string, StoredObject>();
    const { port, server } = await serve(bucketAnswer(objects, new Permission()));
    const gate = await Gate.before(port);
    onTestFinished(() => {
      gate.close();
      server.close();
    });
    const settings = {
      endpoint: `http://127.0.0.1:${gate.port}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'AKIAMADEUP', secretAccessKey: 'made-up' },
    };
    // At the end of a run, the first try takes as long as a call may.
    const bounds = { ...defaultBounds, totalSeconds };
    const openS3 = (interrupted: AbortSignal) => boundClient(S3Client, settings, interrupted, bounds);
    return { gate, objects, openS3 };
  }

  it('a run measures to its end, loses little, and saves everything when S3 answers again', async () => {
    const { gate, objects, openS3 } = await gatedS3(8);
    gate.set('held');
    const startedAt = performance.now();
    let measuredSeconds = Infinity;
    const ended = await loadRun(
      {},
      {
        changes: oneBlock,
        openS3,
        onEvent(event) {
          if (event.kind === 'trial-ended') measuredSeconds = (performance.now() - startedAt) / 1000;
          if (event.kind === 'warning' && event.text.includes('keeps retrying')) gate.set('open');
        },
      },
    );
    expect(ended.error).toBeNull();
    // Three patiences at most; in each of them, nothing else goes on.
    expect(measuredSeconds).toBeLessThan(45);
    const late = kinds(ended, 'warning').filter((event) => JSON.stringify(event).includes('pgduet will retry'));
    expect(late).toHaveLength(1);
    const last = JSON.parse(objects.get(`${prefix}status.json`)?.body.toString() ?? '') as RunStatus;
    expect(last).toMatchObject({ state: 'finished', saved: { objects: objects.size - 1 } });
    expect([...objects.keys()].filter((key) => key.endsWith('/trial.json'))).toHaveLength(2);
  });

  it('an interruption ends it, and the next start goes on and saves everything', async () => {
    const { gate, objects, openS3 } = await gatedS3(120);
    let interruptedAt = 0;
    const first = await loadRun(
      {},
      {
        changes: oneBlock,
        openS3,
        onEvent({ kind }, interruption) {
          if (kind !== 'trial-ended' || interruptedAt > 0) return;
          gate.set('held');
          interruptedAt = performance.now() + 1000;
          setTimeout(() => interruption.abort(new Error('interrupted by SIGINT')), 1000);
        },
      },
    );
    // Uploads that nothing ends would go on for longer.
    expect((performance.now() - interruptedAt) / 1000).toBeLessThan(30);
    expect(first.error).not.toBeNull();
    expect(JSON.stringify(kinds(first, 'warning'))).toMatch(
      /Not all of the results are in S3\. The complete results are in .* was cut off \(interrupted by SIGINT\)/,
    );
    gate.set('open');
    const second = await loadRun({ resume: true }, { changes: oneBlock, openS3 });
    expect(second.error).toBeNull();
    expect([...objects.keys()].filter((key) => key.endsWith('/trial.json')).length).toBeGreaterThanOrEqual(2);
  });
});
