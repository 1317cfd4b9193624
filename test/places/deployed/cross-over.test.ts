import { fileURLToPath } from 'node:url';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { carryOutTrials } from '../../../runner/run/carry-out-trials.ts';
import type { Execution } from '../../../runner/run/execution.ts';
import { type MeasureStep, makePlan } from '../../../runner/experiment/plan/plan.ts';
import { openDeployedPlace } from '../../../runner/places/deployed/deployed-place.ts';
import type { Trial } from '../../../runner/contract/result.ts';
import { fakeAws, jsonAnswer, xmlAnswer } from '../../helpers/fake-aws.ts';
import { boundInstance, fakeClock, fakeRds, rdsInstance, sampleBinding } from '../../helpers/fake-rds.ts';
import { trial } from '../../helpers/measured-trial.ts';
import { sampleResult } from '../../helpers/sample-result.ts';

const identifiers = { 'without-dlv': 'alice-without', 'with-dlv': 'alice-with' } as const;

/** RDS with two instances, that modifies at once, shows what is pending until the reboot, and is away for a while after it. */
function rdsWithTwo(logVolumes: Record<string, boolean> = { 'alice-without': false, 'alice-with': true }) {
  const pending = new Map<string, boolean>();
  const rebooting = new Map<string, number>();
  const calls: string[] = [];
  const rds = fakeRds(({ action, input }) => {
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
          DBInstanceStatus: left > 0 ? 'rebooting' : 'available',
          DedicatedLogVolume: logVolumes[identifier],
          Endpoint: { Address: `${identifier}.rds.amazonaws.com`, Port: 5432 },
          PendingModifiedValues: pending.has(identifier) ? { DedicatedLogVolume: pending.get(identifier) } : {},
        }),
      ],
    });
  });
  return { rds, calls };
}

async function crossedRun(logVolumes?: Record<string, boolean>, earlier: readonly Trial[] = [], clock = fakeClock()) {
  const { rds, calls } = rdsWithTwo(logVolumes);
  const binding = sampleBinding({
    'without-dlv': { ...boundInstance({ dedicatedLogVolume: false }), identifier: identifiers['without-dlv'] },
    'with-dlv': { ...boundInstance(), identifier: identifiers['with-dlv'] },
  });
  const signal = new AbortController().signal;
  const probes = new Map<string, number>();
  const place = await openDeployedPlace({
    ...clock,
    binding,
    rds: rds.client,
    secrets: new SecretsManagerClient(
      fakeAws(() => jsonAnswer({ SecretString: JSON.stringify({ username: 'pgduet', password: 'hush' }) })).options,
    ),
    certificates: fileURLToPath(import.meta.url),
    say: () => undefined,
    signal,
    crossover: true,
    // Every sixth try finds nobody.
    isReachable: ({ host }) => {
      const probe = (probes.get(host) ?? 0) + 1;
      probes.set(host, probe);
      return Promise.resolve(probe % 6 !== 0);
    },
  });
  const definition = sampleResult({ variants: { 'without-dlv': 1, 'with-dlv': 1 }, blocks: 4 }).experiment.definition;
  const experiment = { ...definition, protocol: { ...definition.protocol, crossover: true } };
  const plan = makePlan(experiment, 'full');
  const measured: string[] = [];
  const execution = {
    ...{ plan, experiment, place, signal },
    store: { saveTrial: () => Promise.resolve() },
    report: () => undefined,
  } as unknown as Execution;
  const measure = async (_: Execution, step: MeasureStep): Promise<Trial[]> => {
    await place.putUnderTest(
      step.trials.map(({ variant }) => variant),
      signal,
    );
    return step.trials.map((planned): Trial => {
      measured.push(
        `${step.block}: ${planned.variant} on ${place.targets.get(planned.variant)?.host.split('.')[0] ?? ''}`,
      );
      return {
        ...trial(planned.variant, step.block, { tps: 100 }),
        ...planned,
        ...(step.period && { period: step.period }),
      };
    });
  };
  const judgement = { check: () => [], isPreciseEnough: () => false, onProgress: () => Promise.resolve() };
  const outcome = await carryOutTrials(execution, earlier, judgement, measure);
  await place.close({ keep: false });
  return { ...outcome, plan, calls, measured: measured.sort() };
}

describe('a crossover', () => {
  it('is planned as two halves with the change of the log volumes between them', async () => {
    const { plan } = await crossedRun();
    const kinds = plan.steps.map((step) => (step.kind === 'measure' ? `block ${step.block}` : step.kind));
    expect([...new Set(kinds)]).toEqual(['create', 'load', 'block 1', 'block 2', 'cross-over', 'block 3', 'block 4']);
  });

  it('measures every variant on either instance, each with the log volume that the variant asks for', async () => {
    const { measured, calls, complete, trials } = await crossedRun();
    expect(measured).toEqual([
      '1: with-dlv on alice-with',
      '1: without-dlv on alice-without',
      '2: with-dlv on alice-with',
      '2: without-dlv on alice-without',
      '3: with-dlv on alice-without',
      '3: without-dlv on alice-with',
      '4: with-dlv on alice-without',
      '4: without-dlv on alice-with',
    ]);
    expect(calls.sort()).toEqual([
      'modify alice-with false',
      'modify alice-without true',
      'reboot alice-with',
      'reboot alice-without',
    ]);
    expect(complete).toBe(true);
    expect(trials.map(({ period }) => period)).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
  });

  it('records every switch with the time in which nobody could connect', async () => {
    const { switches } = await crossedRun();
    expect(switches).toMatchObject([
      { instance: 'alice-with', logVolume: 'off', carries: 'without-dlv' },
      { instance: 'alice-without', logVolume: 'on', carries: 'with-dlv' },
    ]);
    for (const { downtimeSeconds, startedAt, endedAt } of switches) {
      expect(downtimeSeconds).toBeGreaterThan(0);
      expect(downtimeSeconds).toBeLessThan((Date.parse(endedAt) - Date.parse(startedAt)) / 1000);
    }
  });

  it('begins as deployed, wherever an earlier run left the log volumes', async () => {
    const { measured, calls } = await crossedRun({ 'alice-without': true, 'alice-with': false });
    expect(measured[0]).toBe('1: with-dlv on alice-with');
    expect(calls.filter((call) => call.startsWith('modify'))).toHaveLength(4);
  });

  it('goes on in the half in which it was interrupted', async () => {
    const { trials } = await crossedRun();
    const firstHalf = trials.filter(({ period }) => period === 1);
    const { measured, calls } = await crossedRun(undefined, firstHalf);
    expect(measured).toHaveLength(4);
    expect(measured[0]).toBe('3: with-dlv on alice-without');
    expect(calls.filter((call) => call.startsWith('modify'))).toHaveLength(2);
  });
});
