import path from 'node:path';
import { PricingClient } from '@aws-sdk/client-pricing';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../runner/contract/plan.ts';
import { type CostEstimate, costsOf } from '../../runner/rds/prices/estimate.ts';
import type { PriceSource } from '../../runner/rds/prices/live-prices.ts';
import { experimentNames } from '../../runner/experiment/file/find.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { fakeAws, jsonError } from '../helpers/fakes/fake-aws.ts';
import { type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { deploy } from '../helpers/samples/deployed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { saveResult } from '../helpers/samples/saved-sample.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const project = path.resolve(import.meta.dirname, '../..');

function plan(workingFolder: string, ...words: string[]): Promise<Printed> {
  return runCommandLine(['plan', ...words], { workingFolder, columns: 100 });
}

describe('pgduet plan', () => {
  test('says what dlv-pgbench costs, what its log volume costs, and what each step of a reset takes', async () => {
    const { stdout: text, stderr, exitCode } = await plan(project, 'dlv-pgbench');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(text).toContain('$425 a month, 6% of what with-dlv costs');
    expect(text).toMatch(/costs +\$20\.77 an hour; the run: \$/);
    expect(text).toMatch(/vacuum 8 min 20 s/);
    const days = Math.floor((Date.now() - Date.parse('2025-04-24')) / 86_400_000);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`on demand, 2025-04-24 to 2026-11-21 (the oldest ${days} days old)`);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('npx --no-install pgduet prices --region us-east-1');
  });

  test('says of replicas how many pairs of instances there are, how long they take and what they cost', async () => {
    const { stdout: text, exitCode } = await plan(project, 'dlv-pgbench', '--profile', 'replicas');
    expect(exitCode).toBe(0);
    expect(text).toContain('3 instance pairs (6 instances); every block measures each pair');
    expect(text).toContain('6 blocks, 36 trials');
    expect(text).not.toContain('load levels');
    expect(text).toContain('$60.12 an hour');
    const { replicas } = JSON.parse((await plan(project, 'dlv-pgbench', '--json')).stdout) as Plan;
    expect(replicas).toBe(1);
  });

  test('lists the first blocks, says how many steps follow, and has all of them in JSON', async () => {
    const { stdout: text } = await plan(project, 'quick');
    const listed = text.split('\n').filter((line) => /^block\s\d+, position/.test(line));
    expect(listed).toHaveLength(6);
    expect(text).toContain('6 more steps follow, up to block 6 (all: plan --json, or --dry-run --json).');
    const { steps } = JSON.parse((await plan(project, 'quick', '--json')).stdout) as Plan;
    expect(steps).toHaveLength(14);
  });

  test('says what it may claim: of two instances, and of more by pairs with the baseline', async () => {
    const claim = async (name: string): Promise<string> => (await plan(project, name)).stdout.replaceAll(/\s+/g, ' ');
    expect(await claim('dlv-pgbench')).toContain('can show which is better on these instances.');
    expect(await claim('wal-placement')).toContain(
      'can show of each candidate and four-disks, which is better on these instances.',
    );
  });

  test.each([
    [
      { storage: { type: 'local' } },
      'It needs seven blocks, not six: two comparisons share its confidence.',
      '7 blocks, 21 trials',
    ],
    [
      smallExperiment().common,
      'protocol.blocks is 6: a verdict on 2 comparisons needs 7 blocks. Set it to 7',
      '6 blocks',
    ],
  ])(
    'says what a third variant takes, where the run takes it by itself and where it does not',
    async (common, ...says) => {
      const { stdout, exitCode } = await plan(
        folderWithExperiment('small', {
          ...smallExperiment(),
          common,
          variants: { a: {}, b: { dedicatedLogVolume: true }, c: { engine: { parameters: { work_mem: '8MB' } } } },
          protocol: { blocks: 6 },
        }),
        'small',
      );
      expect(exitCode).toBe(0);
      for (const words of says) expect(stdout.replaceAll(/\s+/g, ' ')).toContain(words);
    },
  );

  test('says that nobody gets a message, unless notify is set', async () => {
    const printed = async (change: object): Promise<string> => {
      const { stdout } = await plan(folderWithExperiment('small', { ...smallExperiment(), ...change }), 'small');
      return stdout.replaceAll(/\s+/g, ' ');
    };
    const words = 'messages none before the stack deletes itself, and none if it cannot: notify is not set';
    expect(await printed({})).toContain(words);
    expect(await printed({ notify: { email: 'alice@example.com' } })).not.toContain('messages none');
    const stays = { whenDone: 'keep', expiry: { kind: 'never', reason: 'a test that deploys nothing' } };
    expect(await printed(stays)).not.toContain('messages none');
  });

  test('gives the same as one JSON value', async () => {
    const { stdout: text } = await plan(project, 'dlv-pgbench', '--json');
    const { costs, resetSteps } = JSON.parse(text) as Plan & { costs: CostEstimate };
    expect(costs.prices).toMatchObject({ source: 'kept', region: 'us-east-1' });
    expect(costs.lines[0]?.origin).toMatchObject({ date: '2025-04-24' });
    expect(costs.logVolumes).toHaveLength(1);
    expect(resetSteps).toContainEqual({ step: 'vacuum', expectedSeconds: 500 });
  });

  const shipped = experimentNames(project).flatMap((name) =>
    loadExperiment(name, { folder: project }).profiles.flatMap((profile) => {
      const { experiment } = loadExperiment(name, { folder: project, profile });
      const deployed = Object.values(experiment.variants).some(({ storage }) => storage.type !== 'local');
      return deployed ? ['us-east-1', 'eu-central-1'].map((region) => [name, profile, region] as const) : [];
    }),
  );

  test.each(shipped)('knows every price of %s, profile %s, in %s, offline', async (name, profile, region) => {
    const { stdout } = await plan(project, name, '-p', profile, '--region', region);
    expect(stdout).toMatch(/costs +\$[\d.]+( to \$[\d.]+)? an hour/);
    expect(stdout).not.toMatch(/at least \$|not known/);
    expect(stdout).toContain(`prices/${region}.json`);
  });

  test('bills no Region at the prices of another, says so and how they are fetched', async () => {
    const { stdout: text, stderr, exitCode } = await plan(project, 'dlv-pgbench', '--region', 'eu-west-1');
    // What it costs is not known, so nobody knows whether its limit is kept.
    expect(exitCode).toBe(2);
    expect(stderr).toContain('limits.dollars is 200');
    expect(text).toMatch(/costs +unknown: no known price\n/);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'none for eu-west-1 are kept; this fetches the prices: npx --no-install pgduet prices --region eu-west-1',
    );
  });

  test('refuses a limit in dollars where a price is not known', async () => {
    const limited = { ...smallExperiment(), driver: { class: 'x1.32xlarge' }, limits: { dollars: 1000 } };
    const { stderr, exitCode } = await plan(folderWithExperiment('small', limited), 'small');
    expect(exitCode).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /limits\.dollars is 1000, but pgduet cannot check .* are unknown: driver: x1\.32xlarge\. .* npx --no-install pgduet prices --region us-east-1/,
    );
  });

  test('speaks of no money where nothing is deployed', async () => {
    expect((await plan(project, 'quick', '-p', 'local')).stdout).not.toMatch(/dollars|\$/);
    expect(JSON.parse((await plan(project, 'quick', '-p', 'local', '--json')).stdout)).toMatchObject({ costs: null });
  });

  test('says from a pilot how many blocks an effect needs, how long they take and what they cost', async () => {
    const folder = folderWithExperiment('small', smallExperiment());
    const { result: pilot } = await changedSample({ blocks: 6 }, deploy);
    await saveResult(folder, pilot);
    const { stdout: text } = await plan(folder, 'small', '--pilot', '.');
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(
      /pilot: with-log-volume: 6 blocks have a spread of 0\.\d%. Plan with \d\.\d%: .*\. To call a change of 5% better or worse with 80% power, you need 6 \(.*\$.*\)\. If there is no change, an equivalent verdict has a \d+% chance\./,
    );
    const strict = folderWithExperiment('small', { ...smallExperiment(), decision: { practicalThreshold: 0.004 } });
    await saveResult(strict, pilot);
    const more = JSON.parse((await plan(strict, 'small', '--pilot', '.', '--json')).stdout) as {
      pilot: { needs: { blocksNeeded: number; expectedSeconds: number; dollars: { low: number } }[] };
    };
    const [need] = more.pilot.needs;
    expect(need?.blocksNeeded).toBeGreaterThan(6);
    expect(need?.dollars.low).toBeGreaterThan(0);
    const small = await plan(folder, 'small', '--pilot', '.', '--effect', '0.03');
    expect(small).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--effect 0.03') as string });
    const nowhere = await plan(folder, 'small', '--pilot', 'nowhere');
    expect(nowhere).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nowhere') as string });
  });

  test('takes no noise of this machine into time and money of RDS', async () => {
    const folder = folderWithExperiment('small', smallExperiment());
    await saveResult(folder, await sampleResult({ blocks: 6 }));
    const { stdout, stderr, exitCode } = await plan(folder, 'small', '--pilot', '.');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      '--pilot: this result was measured on this machine, but the variants of profile full are in RDS, where blocks vary differently.',
    );
  });

  test.each([
    ['hours', { hours: 0.1 }, /limits\.hours is 0\.1: the run is expected to take \d\.\d hours/],
    ['dollars', { dollars: 1 }, /limits\.dollars is 1: the run is expected to cost \d+\.\d\d dollars/],
  ])('refuses an experiment whose limit in %s is below the estimate, after showing it', async (_, limits, message) => {
    const folder = folderWithExperiment('small', { ...smallExperiment(), limits });
    const { stdout, stderr, exitCode } = await plan(folder, 'small');
    expect(stdout).toMatch(/^billed +what +dollars an/m);
    expect(exitCode).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(message);
  });
});

describe('prices', () => {
  const { experiment } = loadExperiment('dlv-pgbench', { folder: project });
  const denied = () => new PricingClient(fakeAws(() => jsonError('AccessDeniedException', 'not for you')).options);
  const ask = async (source: PriceSource, environment: Record<string, string>, makeClient: () => PricingClient) => {
    const warnings: string[] = [];
    const { signal } = new AbortController();
    const warn = (text: string) => warnings.push(text);
    const question = { source, region: 'eu-central-1', environment, signal, warn };
    return { costs: await costsOf(experiment, 'full', 3600, question, makeClient), warnings };
  };

  test('fall back to the kept ones, saying why, where AWS does not tell them', async () => {
    const { costs, warnings } = await ask('auto', { AWS_PROFILE: 'bench' }, denied);
    expect(costs?.prices).toMatchObject({ source: 'kept', region: 'eu-central-1' });
    expect(costs?.notKnown).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('not for you')]);
  });

  test('are an error where they were to be AWS’s own', async () => {
    await expect(ask('live', {}, denied)).rejects.toThrow('not for you');
  });

  test('are asked of nobody without credentials', async () => {
    const nobody = () => {
      throw new Error('asked');
    };
    const { costs, warnings } = await ask('auto', { HOME: '/nonexistent' }, nobody);
    expect(costs?.prices.source).toBe('kept');
    expect(warnings).toEqual([]);
  });
});
