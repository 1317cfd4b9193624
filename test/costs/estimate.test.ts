import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { estimateCosts } from '../../runner/costs/estimate.ts';
import type { Prices } from '../../runner/costs/price.ts';
import { snapshot } from '../../runner/costs/snapshot.ts';
import { stackDollarsPerHour } from '../../runner/costs/stack-dollars.ts';
import { deployable } from '../../runner/experiment/deploy/deployable.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const project = path.resolve(import.meta.dirname, '../..');

function estimateOf(experiment: Experiment, expectedSeconds: number | null = 3600, prices: Prices = snapshot) {
  return estimateCosts(deployable(experiment, 'full'), expectedSeconds, prices);
}

function experimentOf(change: (content: ReturnType<typeof smallExperiment>) => object): Experiment {
  const content = change(smallExperiment());
  return loadExperiment('small', { folder: folderWithExperiment('small', content) }).experiment;
}

describe('the log volume of study 3', () => {
  // db.r6gd.16xlarge, io2 of 6 TiB with 80,000 IOPS.
  const study = () =>
    experimentOf((content) => ({
      ...content,
      common: {
        class: 'db.r6gd.16xlarge',
        storage: { type: 'io2', sizeGib: 6144, iops: 80_000 },
        engine: { version: '16.15' },
      },
      variants: {
        a: {},
        single: { dedicatedLogVolume: true },
        multi: { dedicatedLogVolume: true, deployment: 'multi-az-instance' },
      },
    }));

  test('is 425 dollars a month, and 850 on a Multi-AZ instance', () => {
    const months = estimateOf(study()).logVolumes.map(({ variant, dollarsPerMonth }) => [
      variant,
      Math.round(dollarsPerMonth.low),
      Math.round(dollarsPerMonth.high),
    ]);
    expect(months).toEqual([
      ['single', 425, 425],
      ['multi', 850, 850],
    ]);
  });

  test('has no share of a variant whose class has no known price, and the line that lacks one is named', () => {
    const { logVolumes, notKnown } = estimateOf(study());
    expect(logVolumes.map(({ share }) => share)).toEqual([null, null]);
    expect(notKnown).toContain('single: db.r6gd.16xlarge, single-az');
  });
});

describe('the estimate of dlv-pgbench from the snapshot', () => {
  const { experiment } = loadExperiment('dlv-pgbench', { folder: project });
  const costs = estimateOf(experiment, 7200);

  test('keeps the range of prices that sources disagree on', () => {
    // Driver 1.008. Two instances, each 1,024 GiB at 0.125 and 10,000 IOPS at 0.10. One log volume of 425. 730 hours.
    const rest = 1.008 + (2 * (128 + 1000) + 425) / 730;
    expect(costs.dollarsPerHour.low).toBeCloseTo(rest + 2 * 7.68, 6);
    expect(costs.dollarsPerHour.high).toBeCloseTo(rest + 2 * 8.06, 6);
    expect(costs.run?.dollars.high).toBeCloseTo(2 * costs.dollarsPerHour.high, 6);
    expect(costs.untilExpiry).toMatchObject({ hours: 24 });
  });

  test('says which prices it does not know', () => {
    expect(costs.notKnown).toEqual(['driver: 100 GiB of gp3', 'driver: public address']);
  });

  test('gives the log volume’s share of what its variant costs', () => {
    const [logVolume] = costs.logVolumes;
    expect(logVolume?.variant).toBe('with-dlv');
    expect(logVolume?.share?.low).toBeCloseTo(425 / (1128 + 425 + 8.06 * 730), 6);
    expect(logVolume?.share?.high).toBeCloseTo(425 / (1128 + 425 + 7.68 * 730), 6);
  });

  test('bills every instance of every variant, and one driver', () => {
    const replicated = { ...experiment, protocol: { ...experiment.protocol, replicas: 3 } };
    const { lines, dollarsPerHour, logVolumes } = estimateOf(replicated, 7200);
    expect(dollarsPerHour.high - 1.008).toBeCloseTo(3 * (costs.dollarsPerHour.high - 1.008), 6);
    expect(lines.map(({ what }) => what)).toContain('3 × 10,000 IOPS of io2');
    expect(logVolumes[0]?.dollarsPerMonth.low).toBeCloseTo(3 * 425, 6);
    expect(logVolumes[0]?.share?.low).toBeCloseTo(costs.logVolumes[0]?.share?.low ?? 0, 6);
    expect(stackDollarsPerHour(deployable(replicated, 'full'), 'us-east-1')).toBe(60.39);
  });

  test('has no cost of a run whose length nobody can foretell', () => {
    expect(estimateOf(experiment, null).run).toBeNull();
  });
});

describe('what is billed', () => {
  /** Every unit costs a dollar a month, so that the lines show their quantities. */
  const unit: Prices = { ...snapshot, find: () => ({ low: 1, high: 1, per: 'month' }) };
  const quantities = (experiment: Experiment) =>
    Object.fromEntries(
      estimateOf(experiment, 1, unit).lines.map(({ variant, what, dollarsPerMonth }) => [
        `${variant ?? 'driver'}: ${what}`,
        Math.round(dollarsPerMonth?.low ?? 0),
      ]),
    );

  test('of gp3, only what its size does not include', () => {
    const billed = quantities(
      experimentOf((content) => ({
        ...content,
        variants: {
          a: { storage: { type: 'gp3', sizeGib: 400, iops: 20_000, throughputMibps: 700 } },
          b: { storage: { type: 'gp3', sizeGib: 399, iops: 3000 } },
        },
        common: { class: 'db.r6g.2xlarge', engine: { version: '16.15' } },
      })),
    );
    expect(billed).toMatchObject({
      'a: 400 GiB of gp3': 400,
      'a: 8,000 IOPS of gp3': 8000,
      'a: 200 MiB/s of gp3': 200,
    });
    expect(Object.keys(billed).filter((what) => what.startsWith('b:'))).toEqual([
      'b: db.r6g.2xlarge, single-az',
      'b: 399 GiB of gp3',
    ]);
  });

  test('of a private network, its endpoints and no public address', () => {
    const billed = quantities(experimentOf((content) => ({ ...content, network: { mode: 'private' } })));
    expect(billed).toMatchObject({ 'driver: 5 endpoints': 5 });
    expect(billed).not.toHaveProperty('driver: public address');
  });

  test('of Database Insights, what exceeds its free week', () => {
    const monitoring = { databaseInsights: { mode: 'standard', retentionDays: 31 } };
    expect(quantities(experimentOf((content) => ({ ...content, monitoring })))).toHaveProperty(
      'a: Database Insights for 31 days',
    );
    expect(Object.keys(quantities(experimentOf((content) => content))).join()).not.toContain('Insights');
  });
});

test('the snapshot bills a Multi-AZ instance twice and a cluster three times', () => {
  for (const [deployment, copies] of [
    ['single-az', 1],
    ['multi-az-instance', 2],
    ['multi-az-cluster', 3],
  ] as const) {
    expect(snapshot.find({ kind: 'database-instance', class: 'db.r6g.2xlarge', deployment })?.low).toBeCloseTo(
      0.899 * copies,
    );
    expect(snapshot.find({ kind: 'database-iops', type: 'io1', deployment })?.high).toBeCloseTo(0.1 * copies);
  }
});

test('a driver is told what its stack costs only where the prices of its Region and of all instances are known', () => {
  const stackOf = (experiment: Experiment, region = 'us-east-1') =>
    stackDollarsPerHour(deployable(experiment, 'full'), region);
  // The driver, two of db.r6g.2xlarge, each with 1,000 GiB and 10,000 IOPS of io2, and one log volume.
  expect(stackOf(experimentOf((content) => content))).toBeCloseTo(1.008 + 2 * 0.899 + (2 * 1125 + 425) / 730, 2);
  expect(stackOf(experimentOf((content) => ({ ...content, driver: { class: 'm6i.xlarge' } })))).toBeNull();
  expect(
    stackOf(
      experimentOf((content) => content),
      'eu-central-1',
    ),
  ).toBeNull();
});
