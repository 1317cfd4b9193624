import { writeFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import path from 'node:path';
import { PricingClient } from '@aws-sdk/client-pricing';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import type { Io } from '../../runner/cli/io.ts';
import { costsOf } from '../../runner/costs/costs-of.ts';
import { registerPlan } from '../../runner/cli/commands/plan.ts';
import type { CostEstimate } from '../../runner/costs/estimate.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import type { Plan } from '../../runner/experiment/plan/plan.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { fakeAws, jsonError } from '../helpers/fake-aws.ts';
import { sampleResult } from '../helpers/sample-result.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/experiment-file.ts';

const project = path.resolve(import.meta.dirname, '../..');

function testIo(workingFolder: string, environment: Io['environment'] = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const io: Io = {
    ...{ stdout, stderr, environment, workingFolder },
    signal: new AbortController().signal,
    statusLine: null,
    columns: 100,
    colour: false,
    setExitCode: () => undefined,
  };
  const printed = (stream: PassThrough) => String(stream.read() ?? '');
  return { io, stdout: () => printed(stdout), stderr: () => printed(stderr) };
}

async function plan(folder: string, ...words: string[]) {
  const { io, stdout } = testIo(folder);
  const program = new Command().exitOverride();
  registerPlan(program, io);
  const refusal: unknown = await program.parseAsync(['plan', ...words], { from: 'user' }).then(
    () => null,
    (error: unknown) => error,
  );
  return { text: stdout(), refusal };
}

describe('pgduet plan', () => {
  test('says what dlv-pgbench costs, what its log volume costs, and what each step of a reset takes', async () => {
    const { text, refusal } = await plan(project, 'dlv-pgbench');
    expect(refusal).toBeNull();
    expect(text).toContain('$425 a month, 6 % of what with-dlv costs');
    expect(text).toContain('at least $20.04 to $20.80 an hour');
    expect(text).toMatch(/vacuum 8 min 20 s/);
    expect(text).toContain('looked up on 2026-11-21');
    expect(text).toMatch(/not known +driver: 100 GiB of gp3; driver: public address/);
  });

  test('gives the same as one JSON value', async () => {
    const { text } = await plan(project, 'dlv-pgbench', '--json');
    const { costs, resetSteps } = JSON.parse(text) as Plan & { costs: CostEstimate };
    expect(costs.prices).toEqual({ source: 'snapshot', date: '2026-11-21', region: 'us-east-1' });
    expect(costs.logVolumes).toHaveLength(1);
    expect(resetSteps).toContainEqual({ step: 'vacuum', expectedSeconds: 500 });
  });

  test('says first where the larger part of the costs is not known', async () => {
    const { text } = await plan(project, 'test/fixtures/experiments/deployments.yaml');
    expect(text).toMatch(/costs +mostly not known, for want of the price of an instance; at least/);
  });

  test('speaks of no money where nothing is deployed', async () => {
    expect((await plan(project, 'quick')).text).not.toMatch(/dollars|\$/);
    expect(JSON.parse((await plan(project, 'quick', '--json')).text)).toMatchObject({ costs: null });
  });

  test('says from a pilot how many blocks an effect needs, how long they take and what they cost', async () => {
    const folder = folderWithExperiment('small', smallExperiment());
    const pilot = sampleResult({ blocks: 6 });
    await writeFile(path.join(folder, 'result.json'), JSON.stringify(pilot));
    const { text } = await plan(folder, 'small', '--pilot', '.', '--effect', '0.03');
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(
      /pilot: with-log-volume: 6 blocks spread by 0\.\d %; to find a change of 3 % with 80 % power, \d+ are needed \(.*\$/,
    );
    const more = JSON.parse((await plan(folder, 'small', '--pilot', '.', '--effect', '0.004', '--json')).text) as {
      pilot: { needs: { blocksNeeded: number; expectedSeconds: number; dollars: { low: number } }[] };
    };
    const [need] = more.pilot.needs;
    expect(need?.blocksNeeded).toBeGreaterThan(6);
    expect(need?.dollars.low).toBeGreaterThan(0);
    expect((await plan(folder, 'small', '--pilot', 'nowhere')).refusal).toBeInstanceOf(UserError);
  });

  test.each([
    ['hours', { hours: 0.1 }, /limits\.hours is 0\.1: the run is expected to take \d\.\d hours/],
    ['dollars', { dollars: 1 }, /limits\.dollars is 1: the run is expected to cost at least \d+\.\d\d dollars/],
  ])('refuses an experiment whose limit in %s is below the estimate, after showing it', async (_, limits, message) => {
    const { text, refusal } = await plan(folderWithExperiment('small', { ...smallExperiment(), limits }), 'small');
    expect(text).toContain('dollars an hour');
    expect(refusal).toBeInstanceOf(UserError);
    expect((refusal as Error).message).toMatch(message);
  });
});

describe('prices', () => {
  const { experiment } = loadExperiment('dlv-pgbench', { folder: project });
  const denied = () => new PricingClient(fakeAws(() => jsonError('AccessDeniedException', 'not for you')).options);

  test('fall back to the snapshot, saying why, where AWS does not tell them', async () => {
    const { io, stderr } = testIo(project, { AWS_PROFILE: 'bench' });
    const costs = await costsOf(experiment, 'full', 3600, { source: 'auto', region: 'eu-west-1' }, io, denied);
    expect(costs?.prices).toEqual({ source: 'snapshot', date: '2026-11-21', region: 'us-east-1' });
    expect(stderr()).toContain('not for you');
  });

  test('are an error where they were to be AWS’s own', async () => {
    const { io } = testIo(project);
    const live = costsOf(experiment, 'full', 3600, { source: 'live', region: 'eu-west-1' }, io, denied);
    await expect(live).rejects.toThrow('not for you');
  });

  test('are asked of nobody without credentials', async () => {
    const { io } = testIo(project, { HOME: '/nonexistent' });
    const nobody = () => {
      throw new Error('asked');
    };
    const costs = await costsOf(experiment, 'full', 3600, { source: 'auto', region: 'eu-west-1' }, io, nobody);
    expect(costs?.prices.source).toBe('snapshot');
  });
});
