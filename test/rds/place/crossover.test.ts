import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it, vi } from 'vitest';
import type { Collector } from '../../../runner/collect/collector.ts';
import { events } from '../../../runner/rds/collect/events.ts';
import { makePlan } from '../../../runner/experiment/plan/plan.ts';
import { openDeployedPlace } from '../../../runner/rds/place/deployed-place.ts';
import { describeDatabase } from '../../../runner/rds/deployments/registry.ts';
import { proveSwitchable } from '../../../runner/rds/place/switch-log-volume.ts';
import { carryOutRun } from '../../../runner/run/run.ts';
import { readRunFolder, runFolder } from '../../../runner/storage/run-folder.ts';
import type { StoredRun } from '../../../runner/storage/run-store.ts';
import { toolOf } from '../../../runner/workloads/registry.ts';
import type { LoadGenerator } from '../../../runner/workloads/load-generator.ts';
import { type FakeAnswer, fakeAws, jsonAnswer, xmlAnswer, xmlError } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeClock, fakeRds, rdsInstance, sampleBinding } from '../../helpers/fakes/fake-rds.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { recordSample } from '../../helpers/samples/sample-result.ts';

// The RDS is in memory, without a PostgreSQL behind it.
vi.mock('../../../runner/postgres/connect.ts', () => import('../../helpers/fakes/fake-connect.ts'));

const identifiers = { 'without-dlv': 'alice-without', 'with-dlv': 'alice-with' } as const;

/**
 * RDS with two instances. It modifies at once, shows the change as pending until the reboot, and cannot be reached for a
 * while after the reboot.
 */
function rdsWithTwo(
  logVolumes: Record<string, boolean> = { 'alice-without': false, 'alice-with': true },
  isOptimizing = (): boolean => false,
) {
  const pending = new Map<string, boolean>();
  const rebooting = new Map<string, number>();
  const calls: string[] = [];
  const rds = fakeRds(({ action, input }) => {
    if (action === 'DescribeEvents') {
      const text = String(input['SourceIdentifier']);
      return xmlAnswer(action, { Events: [{ Date: String(input['EndTime']), Message: text }] });
    }
    const identifier = String(input['DBInstanceIdentifier']);
    if (action === 'ModifyDBInstance') {
      calls.push(`modify ${identifier} ${String(input['DedicatedLogVolume'])}`);
      pending.set(identifier, String(input['DedicatedLogVolume']) === 'true');
      return xmlAnswer(action, {});
    }
    if (action === 'RebootDBInstance') {
      calls.push(`reboot ${identifier}`);
      const wanted = pending.get(identifier);
      if (wanted !== undefined) logVolumes[identifier] = wanted;
      pending.delete(identifier);
      rebooting.set(identifier, 2);
      return xmlAnswer(action, {});
    }
    const left = rebooting.get(identifier) ?? 0;
    rebooting.set(identifier, left - 1);
    return xmlAnswer(action, {
      DBInstances: [
        rdsInstance({
          DBInstanceIdentifier: identifier,
          DbiResourceId: `db-${identifier}`,
          DBInstanceStatus: left > 0 ? 'rebooting' : isOptimizing() ? 'storage-optimization' : 'available',
          DedicatedLogVolume: logVolumes[identifier],
          Endpoint: { Address: `${identifier}.rds.amazonaws.com`, Port: 5432 },
          PendingModifiedValues: pending.has(identifier) ? { DedicatedLogVolume: pending.get(identifier) } : {},
        }),
      ],
    });
  });
  return { rds, calls };
}

interface Crossed {
  /** How long RDS optimises the volumes after the first of them was switched. */
  optimizationSeconds?: number;
  logVolumes?: Record<string, boolean>;
  /** @default none */
  collectors?: Collector[];
  /** What an earlier start of the same run left, and in which folder. */
  earlier?: StoredRun & { folder: string };
}

/** A whole run of six blocks, one in each period. Place, run and storage are real; only the load is made up. */
async function crossedRun({ logVolumes, earlier, optimizationSeconds = 0, collectors = [] }: Crossed = {}) {
  const clock = fakeClock();
  let switchedAt = Infinity;
  const { rds, calls } = rdsWithTwo(logVolumes, () => {
    if (calls.length === 0) return false;
    switchedAt = Math.min(switchedAt, clock.now().getTime());
    return clock.now().getTime() - switchedAt < optimizationSeconds * 1000;
  });
  const printed: string[] = [];
  const { signal } = new AbortController();
  const { definition } = recordSample({ variants: { 'without-dlv': 1, 'with-dlv': 1 }, blocks: 6 }).run.experiment;
  const experiment = {
    ...definition,
    protocol: { ...definition.protocol, crossover: { exchanges: 3 }, reset: [], repeats: 0 },
  };
  const plan = makePlan(experiment, 'full');
  const folder = earlier?.folder ?? temporaryFolder();
  const measured: string[] = [];
  const generator: LoadGenerator = {
    load: () => Promise.resolve(),
    missing: () => Promise.resolve([]),
    warmUp: () => Promise.resolve(),
    async measure({ server, host }, { folder: of }) {
      const block = /[1-9]/.exec(path.basename(of))?.[0] ?? '';
      measured.push(`${block}: ${server} on ${host.split('.')[0] ?? ''}`);
      await clock.pause(60, signal);
      return { measures: { tps: 100 }, facts: {} };
    },
  };
  const outcome = await carryOutRun({
    plan,
    experiment,
    signal,
    programs: '/nonexistent',
    collectors,
    ...clock,
    tool: toolOf(experiment.workload),
    driver: {
      machine: { name: 'driver', system: 'Linux 6', processor: 'made up', processors: 2, memoryBytes: 2 ** 30 },
      tool: { name: 'pgbench', version: 'pgbench (PostgreSQL) 16.15', files: {} },
    },
    inputs: { file: '/made-up/made-up.yaml', text: '' },
    generatorsIn: () => () => Promise.resolve(generator),
    openPlace: () => openPlace(rds, clock, signal, printed),
    openStore: () => runFolder(folder, folder),
    report: () => undefined,
    startedAt: clock.now(),
    stages: { load: earlier === undefined, run: true },
    earlier: earlier ?? null,
    isResumed: false,
    profile: 'full',
    say: () => undefined,
  });
  if (!outcome) throw new Error('a run has a result');
  return {
    result: outcome.result,
    plan,
    calls,
    printed,
    measured: measured.sort(),
    left: { ...readRunFolder(folder), folder },
  };
}

function openPlace(
  rds: ReturnType<typeof fakeRds>,
  clock: ReturnType<typeof fakeClock>,
  signal: AbortSignal,
  printed: string[],
) {
  const probes = new Map<string, number>();
  return openDeployedPlace({
    parameters: new Map(),
    ...clock,
    binding: sampleBinding({
      'without-dlv': { ...boundInstance({ dedicatedLogVolume: false }), identifier: identifiers['without-dlv'] },
      'with-dlv': { ...boundInstance(), identifier: identifiers['with-dlv'] },
    }),
    rds: rds.client,
    secrets: new SecretsManagerClient(
      fakeAws(() => jsonAnswer({ SecretString: JSON.stringify({ username: 'pgduet', password: 'hush' }) })).options,
    ),
    certificates: fileURLToPath(import.meta.url),
    say: (line) => printed.push(line),
    signal,
    crossover: true,
    // Every sixth try fails.
    probe: ({ host }) => {
      const probe = (probes.get(host) ?? 0) + 1;
      probes.set(host, probe);
      return Promise.resolve(probe % 6 === 0 ? 'It restarts.' : null);
    },
  });
}

describe('the right to exchange log volumes', () => {
  const state = async (logVolume: boolean) => {
    const { rds } = rdsWithTwo({ 'alice-with': logVolume });
    const found = await describeDatabase(rds.client, { ...boundInstance(), identifier: 'alice-with' });
    return found ?? expect.fail('no instance');
  };
  const asked = (answer: FakeAnswer) => {
    const wanted: unknown[] = [];
    const { client } = fakeRds(({ input }) => {
      wanted.push(input['DedicatedLogVolume']);
      return answer;
    });
    return { client, wanted };
  };

  it('is proved by asking for the one that there is, also if RDS has nothing to modify', async () => {
    for (const answer of [
      xmlAnswer('ModifyDBInstance', {}),
      xmlError('InvalidParameterCombination', 'No modifications were requested'),
    ]) {
      for (const logVolume of [true, false]) {
        const { client, wanted } = asked(answer);
        await proveSwitchable(await state(logVolume), 'alice-with', client);
        expect(wanted).toEqual([String(logVolume)]);
      }
    }
  });

  it('is missing if AWS denies it, and unknown if AWS is busy', async () => {
    for (const answer of [xmlError('AccessDenied', 'not authorized', 403), xmlError('Throttling', 'Rate exceeded')]) {
      await expect(proveSwitchable(await state(true), 'alice-with', asked(answer).client)).rejects.toThrow(
        'rds:ModifyDBInstance of alice-with was',
      );
    }
  });
});

/** Which instance carries a variant in each block, which is a period here. */
const carried = [false, true, true, false, false, true].flatMap((isCrossed, index) =>
  Object.entries(identifiers)
    .toSorted()
    .map(([variant, own]) => {
      const other = Object.values(identifiers).find((one) => one !== own);
      return [index + 1, variant, isCrossed ? other : own] as const;
    }),
);

describe('a crossover', () => {
  let once: ReturnType<typeof crossedRun> | undefined;
  /** The first test that asks makes it; its folder goes with that test. */
  const plain = () => (once ??= crossedRun({ collectors: [events] }));

  it('is planned with three exchanges of the log volumes, each between two periods of its own', async () => {
    const { plan } = await plain();
    const kinds = plan.steps.map((step) => (step.kind === 'measure' ? `block ${step.block}` : step.kind));
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
      ...['create', 'load', 'block 1', 'cross-over', 'block 2', 'block 3', 'cross-over', 'block 4', 'block 5'],
      ...['cross-over', 'block 6'],
    ]);
  });

  it('measures every variant on either instance, each with the log volume that the variant asks for', async () => {
    const { measured, calls, result } = await plain();
    expect(measured).toEqual(carried.map(([block, variant, instance]) => `${block}: ${variant} on ${instance}`));
    expect(calls.filter((call) => call.startsWith('modify alice-with '))).toEqual([
      'modify alice-with false',
      'modify alice-with true',
      'modify alice-with false',
    ]);
    expect(calls.filter((call) => call === 'reboot alice-without')).toHaveLength(3);
    expect(result.complete).toBe(true);
    expect(result.trials.map(({ period }) => period)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
  });

  it('records every switch with the time in which nobody could connect', async () => {
    const { result } = await plain();
    expect(result.steps.map(({ step }) => step)).toEqual(['create', 'load', 'cross-over', 'cross-over', 'cross-over']);
    const switches = result.steps.flatMap((step) => step.switches ?? []);
    expect(switches).toMatchObject([
      { instance: 'alice-with', logVolume: 'off', carries: 'without-dlv' },
      { instance: 'alice-without', logVolume: 'on', carries: 'with-dlv' },
      { instance: 'alice-without', logVolume: 'off', carries: 'without-dlv' },
      { instance: 'alice-with', logVolume: 'on', carries: 'with-dlv' },
      { instance: 'alice-with', logVolume: 'off', carries: 'without-dlv' },
      { instance: 'alice-without', logVolume: 'on', carries: 'with-dlv' },
    ]);
    for (const { downtimeSeconds, startedAt, endedAt } of switches) {
      expect(downtimeSeconds).toBeGreaterThan(0);
      expect(downtimeSeconds).toBeLessThan((Date.parse(endedAt) - Date.parse(startedAt)) / 1000);
    }
  });

  it('begins as deployed, wherever an earlier run left the log volumes', async () => {
    const { measured, calls, result } = await crossedRun({
      logVolumes: { 'alice-without': true, 'alice-with': false },
    });
    expect(measured[0]).toBe('1: with-dlv on alice-with');
    expect(result.steps.map(({ step, switches = [] }) => [step, switches.length])).toEqual([
      ['create', 2],
      ['load', 0],
      ['cross-over', 2],
      ['cross-over', 2],
      ['cross-over', 2],
    ]);
    expect(calls.filter((call) => call.startsWith('modify'))).toHaveLength(8);
  });

  it('asks the instance of each trial for its events, also once more when the log volumes have been exchanged', async () => {
    const { result } = await plain();
    const reported = result.trials.map(
      ({ block, conditions, facts }) => `${block}: ${conditions.variant} ${facts.events?.[0]?.text ?? ''}`,
    );
    expect(reported.sort()).toEqual(carried.map(([block, variant, instance]) => `${block}: ${variant} ${instance}`));
  });

  it('waits as long as RDS optimises the volumes, and says since when', async () => {
    const { result, printed } = await crossedRun({ optimizationSeconds: 3 * 3600 });
    expect(result.complete).toBe(true);
    const crossing = result.steps.find(({ step }) => step === 'cross-over');
    const seconds = (Date.parse(crossing?.endedAt ?? '') - Date.parse(crossing?.startedAt ?? '')) / 1000;
    expect(seconds).toBeGreaterThan(3 * 3600);
    expect(printed.join('\n')).toMatch(/\(alice-with\): waiting since 2026-11-21 \d\d:\d\d UTC: storage-optimization/);
  });

  it('goes on in the period in which it was interrupted', async () => {
    const { left } = await crossedRun();
    const lost = left.trials.filter(({ period = 1 }) => period > 3);
    for (const { id } of lost) rmSync(path.join(left.folder, 'trials', id), { recursive: true });
    const trials = left.trials.filter((trial) => !lost.includes(trial));
    const earlier = { ...left, trials, steps: left.steps.filter(({ step }) => step !== 'cross-over') };
    // It was interrupted behind the first exchange.
    const { measured, calls, result } = await crossedRun({
      earlier,
      logVolumes: { 'alice-without': true, 'alice-with': false },
    });
    expect(measured).toHaveLength(6);
    expect(measured[0]).toBe('4: with-dlv on alice-with');
    expect(calls.filter((call) => call.startsWith('modify'))).toHaveLength(4);
    expect(result.complete).toBe(true);
    expect(result.steps.map(({ step, switches = [] }) => [step, switches.length]).slice(2)).toEqual([
      ['create', 2],
      ['cross-over', 0],
      ['cross-over', 2],
    ]);
  });
});
