import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Plan } from '../../runner/contract/plan.ts';
import type { Result } from '../../runner/contract/result.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderForAll } from '../helpers/own-temporary-folder.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

// A new place needs only this line.
vi.mock(import('../../runner/places/every-place.ts'), async (original) => {
  const { standing } = await import('../helpers/standing-place.ts');
  return { places: [...(await original()).places, standing] };
});

// Three seconds of each run, which ceiling.test.ts shows.
vi.mock('../../runner/workloads/pgbench/ceiling.ts', () => ({ measureCeiling: () => Promise.resolve(1e6) }));

const clusters = { durable: clusterForAll(), hasty: clusterForAll({ synchronous_commit: 'off' }) };
const folder = folderForAll();
mkdirSync(path.join(folder, 'experiments'));
beforeAll(() => define(experiment()));

function experiment() {
  const storageOf = (name: keyof typeof clusters) => {
    const { host, port, user, database, environment } = clusters[name].target;
    return { type: 'standing', host, port, user, database, passwordFile: environment['PGPASSFILE'] };
  };
  return {
    name: 'standing',
    question: 'Does it run on servers that are there already?',
    variants: {
      durable: { storage: storageOf('durable') },
      hasty: { storage: storageOf('hasty'), engine: { parameters: { synchronous_commit: false } } },
    },
    baseline: 'durable',
    workload: { tool: 'pgbench', scale: 1, clients: 2, durationSeconds: 1, rate: 40 },
    // Without repeats: other work on this machine must not make a run longer.
    protocol: { blocks: 2, warmUpSeconds: 0.5, repeats: 0 },
  };
}

function define(content: unknown): void {
  writeFileSync(path.join(folder, 'experiments/standing.yaml'), stringify(content));
}

const run = (...args: string[]): ReturnType<typeof runCommandLine> =>
  runCommandLine(args, { workingFolder: folder, columns: 400 });
const loadRun = ['load-run', 'standing', '--local', '--profile', 'full'];
const latest = (file: string): string => path.join(folder, 'results/standing/latest', file);
const saved = (): Result => JSON.parse(readFileSync(latest('result.json'), 'utf8')) as Result;

test('another place is planned with its own speeds, and refuses by its own rules', async () => {
  const plan = await run('plan', 'standing', '--json');
  expect(plan).toMatchObject({ exitCode: 0 });
  const { steps } = JSON.parse(plan.stdout) as Plan;
  expect(steps.filter(({ kind }) => kind === 'measure')).toHaveLength(4);
  const { variants, ...rest } = experiment();
  define({ ...rest, variants: { ...variants, hasty: { ...variants.hasty, dedicatedLogVolume: true } } });
  const refused = await run('plan', 'standing');
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain('nobody moves the WAL of an existing server');
  define({ ...rest, variants: { ...variants, hasty: { storage: { type: 'local' } } } });
  expect((await run('plan', 'standing')).stderr).toContain(
    'but all variants of an experiment must be in one place: in RDS (io1, io2, gp3) or on this machine (local) or where they already were (existing) or where they were before the run (standing)',
  );
  define(experiment());
});

test('the machine is checked for it, it is listed, and a deploy of it is refused in its own words', async () => {
  const { exitCode, stdout } = await run('doctor', 'standing');
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.not.stringContaining('memory') as string });
  expect((await run('list')).stdout).toMatch(/^standing +standing +Does it run/m);
  expect((await run('policy', 'standing')).stderr).toContain(
    'cannot be deployed: its variants are where they were before the run.',
  );
});

test('it is loaded, measured and compared, and its servers go on after the run', async () => {
  expect(await run(...loadRun)).toMatchObject({ exitCode: 0 });
  const { place, trials, comparisons } = saved();
  expect(place).toMatchObject({ kind: 'standing', caveats: ['Nobody tells what else these servers do.'] });
  expect(trials.map(({ state }) => state)).toEqual(Array(4).fill('finished'));
  expect(comparisons.find(({ primary }) => primary)?.pairs).toHaveLength(2);
  for (const { target } of Object.values(clusters)) expect(target.failed.aborted).toBe(false);
});

test('what was loaded is measured again without loading', async () => {
  const again = await run('run', ...loadRun.slice(1));
  expect(again).toMatchObject({ exitCode: 0 });
  expect(saved().steps.map(({ step }) => step)).not.toContain('load');
});

test('its results are verified and reported like any others', async () => {
  expect((await run('verify', 'results/standing/latest')).stdout).toContain('Verification passed');
  expect(await run('report', 'results/standing/latest')).toMatchObject({ exitCode: 0 });
  const html = readFileSync(latest('report.html'), 'utf8').replace(/\s+/g, ' ');
  expect(html).toContain('Servers that were there before');
  expect(html).toContain('Nobody tells what else these servers do.');
  expect(html).toContain('npx --no-install pgduet load-run results/standing/20');
  expect(html).not.toContain('npx cdk deploy');
});
