import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presentResult } from '../../runner/cli/actions/present-result.ts';
import { outcomeText } from '../../runner/cli/actions/doctor.ts';
import { prices } from '../../runner/cli/actions/prices.ts';
import { parseRunStatus, type RunEvent, statusText } from '../../runner/contract/status.ts';
import { decidingMetric } from '../../runner/contract/experiment/schema.ts';
import { plannedTrials } from '../../runner/contract/plan.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { ownIdentity } from '../../runner/process/tracked-process.ts';
import { showProgress } from '../../runner/report/terminal/progress.ts';
import { serviceLoadLines } from '../../runner/report/terminal/service-load-text.ts';
import { wrapLines } from '../../runner/report/media/wrap.ts';
import type { ServiceLoad, WeighedStatement } from '../../runner/workloads/own-data/from-server/service-load.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import type { Io } from '../../runner/cli/io.ts';
import { examine } from '../helpers/fakes/fake-account.ts';
import { fakeIo, type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { boundInstance, sampleBinding } from '../helpers/fakes/fake-rds.ts';
import { fakeS3 } from '../helpers/fakes/fake-s3.ts';
import { fakeStack } from '../helpers/fakes/fake-stack.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { serveOfferFiles } from '../helpers/servers/offer-files.ts';
import { screensOf } from '../helpers/shown/screens.ts';

const aws = vi.hoisted(() => ({ clients: {} }));
vi.mock(import('../../runner/rds/aws/clients.ts'), async (original) => ({
  ...(await original()),
  awsClients: () => aws.clients as ReturnType<Awaited<ReturnType<typeof original>>['awsClients']>,
}));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'work-'));
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T13:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Compares what is shown at each width with the file of this name. */
async function expectScreens(name: string, run: (columns: number) => Promise<Printed>): Promise<void> {
  const text = (await screensOf(run)).join('\n').replaceAll(folder, '/folder');
  await expect(text).toMatchFileSnapshot(`screens/${name}.txt`);
}

/** What a part of a command prints. */
const printedBy =
  (work: (io: Io) => Promise<void> | void) =>
  async (columns: number): Promise<Printed> => {
    const { io, printed } = fakeIo({ workingFolder: folder, columns });
    await work(io);
    return printed();
  };

describe('a command that does its work shows', () => {
  it('doctor, before a deploy', async () => {
    // Of the load, it says which programs of this machine read it.
    const outcomes = (await examine({ vpcs: 5 })).filter(({ name }) => !name.endsWith('of the load'));
    await expectScreens(
      'doctor',
      printedBy((io) => void io.stdout.write(outcomes.map((outcome) => outcomeText(outcome, io)).join(''))),
    );
  });

  it('clean', async () => {
    vi.stubEnv('TMPDIR', folder);
    await expectScreens('clean', (columns) => {
      const left = path.join(folder, 'pgduet-of-a-killed-run');
      mkdirSync(left);
      const owner = { kind: 'pgduet-run-folder', process: { ...ownIdentity(), pid: 2 ** 22 - 1 }, kept: false };
      writeFileSync(path.join(left, 'owner.json'), JSON.stringify(owner));
      return runCommandLine(['clean'], { columns });
    });
    await expectScreens('clean-of-nothing', (columns) => runCommandLine(['clean'], { columns }));
  });

  it('prices', async () => {
    const fetched = async (dollars: string, io: Io): Promise<void> => {
      const { address } = await serveOfferFiles((text) => text.replace('"1.1900000000"', `"${dollars}"`));
      await prices({ region: 'eu-west-1' }, io, address);
    };
    await expectScreens('prices', async (columns) => {
      await fetched('1.19', fakeIo({ workingFolder: folder }).io);
      const { stderr: _, ...printed } = await printedBy((io) => fetched('1.2', io))(columns);
      // It names the address, which is another one at each start here.
      return { ...printed, stderr: '' };
    });
  });

  it('load', async () => {
    await expectScreens('load', async (columns) => (await runOf(columns)).load);
  });

  it('run', async () => {
    await expectScreens('run', async (columns) => (await runOf(columns)).run);
  });

  it('watch, of a run that has ended', async () => {
    const fixture = path.join(import.meta.dirname, '../fixtures/status/v3/finished.json');
    const s3 = fakeS3();
    s3.objects.set('dlv/alice/1/status.json', readFileSync(fixture, 'utf8'));
    aws.clients = { s3: s3.client };
    await expectScreens('watch', (columns) =>
      runCommandLine(['watch', 's3://pgduet-results/dlv/alice/1/'], { workingFolder: folder, columns }),
    );
  });

  it('init, of an experiment and of a repository', async () => {
    const written = async (columns: number, ...words: string[]): Promise<Printed> => {
      const workingFolder = mkdtempSync(path.join(folder, 'init-'));
      const { stdout, stderr, exitCode } = await runCommandLine(['init', ...words], { workingFolder, columns });
      const named = (text: string): string => text.replaceAll(workingFolder, '/folder');
      return { stdout: named(stdout), stderr: named(stderr), exitCode };
    };
    await expectScreens('init', (columns) => written(columns, 'mine', '--from', 'own-data'));
    await expectScreens('init-of-a-repository', (columns) => written(columns));
  });

  it('workload from, of what became of the statements', async () => {
    const statement = (of: Partial<WeighedStatement>): WeighedStatement =>
      ({
        name: null,
        text: 'SELECT 1',
        callShare: 0.1,
        timeShare: 0.2,
        reason: null,
        notes: [],
        ...of,
      }) as WeighedStatement;
    const count = (calls: number) => ({ texts: 1, calls, seconds: 1 });
    const load = {
      statements: [
        statement({ name: 'orders', notes: [{ code: 'limit-from-rows', parameter: 1, value: 10 }] }),
        statement({ text: 'UPDATE shop.orders SET paid = $1 WHERE id = $2', reason: { code: 'writes' } }),
        statement({ text: null, reason: { code: 'no-text' } }),
      ],
      aside: { transaction: count(12), utility: count(1), system: count(0) },
      covered: { statements: 1, calls: 0.8, time: 0.6 },
    };
    await expectScreens(
      'workload-from',
      printedBy((io) => void io.stdout.write(wrapLines(serviceLoadLines(load as ServiceLoad).join('\n'), io.columns))),
    );
  });

  it('conclude', async () => {
    const binding = sampleBinding({ 'with-dlv': boundInstance(), without: boundInstance() });
    writeFileSync(path.join(folder, 'binding.json'), JSON.stringify(binding));
    const fixture = path.join(import.meta.dirname, '../fixtures/status/v3/running.json');
    const running = { ...parseRunStatus(readFileSync(fixture, 'utf8'), fixture), deploy: binding.deploy };
    await expectScreens('conclude', async (columns) => {
      const s3 = fakeS3();
      s3.objects.set(`${binding.results.prefix}status.json`, statusText({ ...running, state: 'interrupted' }));
      aws.clients = { s3: s3.client, cloudFormation: fakeStack(new Date('2026-11-21T12:00:00Z')) };
      return runCommandLine(['conclude', '--binding', 'binding.json'], { workingFolder: folder, columns });
    });
  });
});

/** What loading and measuring print, without what depends on this machine. */
async function runOf(columns: number): Promise<{ load: Printed; run: Printed }> {
  const result = await sampleResult({ blocks: 6 });
  const { definition } = result.experiment;
  const plan = makePlan(definition, 'full');
  const started = (kind: 'create' | 'load' | 'settle'): RunEvent[] =>
    plan.steps.flatMap((step) => (step.kind === kind ? [{ kind: 'step-started', step }] : []));
  const loading: RunEvent[] = [
    ...started('create'),
    ...started('load'),
    ...Object.keys(definition.variants).map((variant): RunEvent => ({
      kind: 'loaded',
      conditions: { variant },
      seconds: 21,
    })),
  ];
  const measuring: RunEvent[] = [
    {
      kind: 'warning',
      text: 'Before measuring, other programs used 31 % of the processors: firefox. They disturb trials.',
    },
    ...plannedTrials(plan).flatMap(({ id }, index): RunEvent[] => {
      const trial = result.trials[index];
      return trial ? [{ kind: 'trial-ended', trial: { ...trial, id } }] : [];
    }),
  ];
  const show = (io: Io, events: readonly RunEvent[]): void => {
    vi.setSystemTime(new Date('2026-11-21T13:00:00Z'));
    const progress = showProgress(plan, decidingMetric(definition.decision), { ...io, statusLine: null });
    for (const event of events) {
      vi.setSystemTime(Date.now() + 12_000);
      progress.report(event);
    }
    progress.end();
  };
  return {
    load: await printedBy((io) => show(io, loading))(columns),
    run: await printedBy(async (io) => {
      show(io, measuring);
      const run = mkdtempSync(path.join(folder, 'run-'));
      await presentResult(result, runFolder(run, path.join(folder, 'results/quick/latest')), {}, io);
    })(columns),
  };
}
