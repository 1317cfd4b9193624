import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { stackPrice } from '../../../runner/rds/prices/bill.ts';
import { estimateCosts } from '../../../runner/rds/prices/estimate.ts';
import { keptPrices } from '../../../runner/rds/prices/kept-prices.ts';
import { type Price, type Priced, pricedKey, type Prices } from '../../../runner/rds/prices/price.ts';
import { costFacts } from '../../../runner/report/terminal/cost-text.ts';
import { deployable } from '../../../runner/rds/deploy/deployable.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import type { Experiment } from '../../../runner/contract/experiment/schema.ts';
import { folderWithExperiment, smallExperiment } from '../../helpers/samples/experiment-file.ts';

const project = path.resolve(import.meta.dirname, '../../..');
const kept = keptPrices('us-east-1');

/** The kept prices, but for one that sources disagree on; null for one that is not known. */
function pricesWith(priced: Priced, price: Price | null): Prices {
  const known = price && { ...price, origin: { words: 'two sources', date: '2026-11-21' } };
  return { ...kept, find: (one) => (pricedKey(one) === pricedKey(priced) ? known : kept.find(one)) };
}

function estimateOf(experiment: Experiment, expectedSeconds: number | null = 3600, prices: Prices = kept) {
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
    const lacking = pricesWith({ kind: 'database-instance', class: 'db.r6gd.16xlarge', deployment: 'single-az' }, null);
    const { logVolumes, notKnown } = estimateOf(study(), 3600, lacking);
    expect(logVolumes.map(({ share }) => share?.low.toFixed(2))).toEqual([undefined, '0.03']);
    expect(notKnown).toContain('single: db.r6gd.16xlarge, single-az');
  });
});

describe('the estimate of dlv-pgbench from the kept prices', () => {
  const { experiment } = loadExperiment('dlv-pgbench', { folder: project });
  const disagreed = { low: 7.68, high: 8.06, per: 'hour' } as const;
  const costs = estimateOf(
    experiment,
    7200,
    pricesWith({ kind: 'database-instance', class: 'db.r5.16xlarge', deployment: 'single-az' }, disagreed),
  );
  // The instance 1.008, its 100 GiB at 0.08 a month, and eight endpoints.
  const driver = 1.008 + 8 / 730 + 8 * 0.01;

  test('keeps the range of prices that sources disagree on', () => {
    // Two instances, each 1,024 GiB at 0.125 and 10,000 IOPS at 0.10. One log volume of 425. 730 hours.
    const rest = driver + (2 * (128 + 1000) + 425) / 730;
    expect(costs.dollarsPerHour.low).toBeCloseTo(rest + 2 * 7.68, 6);
    expect(costs.dollarsPerHour.high).toBeCloseTo(rest + 2 * 8.06, 6);
    expect(costs.run?.dollars.high).toBeCloseTo(2 * costs.dollarsPerHour.high, 6);
    expect(costs.atMost?.by).toBe('limit');
    expect(costs.atMost?.dollars.high).toBeCloseTo(200 + costs.dollarsPerHour.high / 2, 6);
  });

  test('ends at the lifetime, after a look and the deletion, if no limit ends it before', () => {
    const { atMost, dollarsPerHour } = estimateOf({ ...experiment, limits: {} });
    expect(atMost?.by).toBe('expiry');
    expect(atMost?.dollars.high).toBeCloseTo(24.25 * dollarsPerHour.high, 6);
  });

  test('has no sum at most where only the end of the run ends the bill, which is not for ever', () => {
    const never = { kind: 'never', reason: 'a demonstration' } as const;
    const words = (change: Partial<Experiment>): string =>
      new Map(costFacts(estimateOf({ ...experiment, limits: {}, expiry: never, ...change }), new Date(0))).get(
        'costs',
      ) ?? '';
    expect(words({})).toMatch(
      /; until the stack deletes itself: unknown, because only the end of its run, or an hour without an update, ends it$/,
    );
    expect(words({ whenDone: 'keep' })).toMatch(/; nothing ends the bill but you$/);
  });

  test('names the snapshots that outlive the stack, and what they cost a month', () => {
    const words = (change: Partial<Experiment>): string | undefined =>
      new Map(costFacts(estimateOf({ ...experiment, ...change }), new Date(0))).get('snapshots');
    expect(words({})).toBeUndefined();
    // Of 1,024 GiB each, at 0.095.
    expect(words({ data: { keep: true } })).toMatch(/^1 outlive the stack: at most \$98 a month/);
    expect(words({ removal: { finalSnapshot: true } })).toMatch(/^2 outlive the stack: at most \$195 a month/);
    const replicas = { ...experiment.protocol, replicas: 2 };
    expect(words({ data: { keep: true }, removal: { finalSnapshot: true }, protocol: replicas })).toMatch(
      /^5 outlive .* \$487 /,
    );
  });

  test('knows every price, and where each comes from and of which date it is', () => {
    const { notKnown, lines, prices } = estimateOf(experiment);
    expect(notKnown).toEqual([]);
    expect(lines.map(({ origin }) => origin?.words)).not.toContain(undefined);
    expect(prices).toEqual({
      source: 'kept',
      region: 'us-east-1',
      dates: { from: '2025-04-24', to: '2026-11-21' },
    });
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
    expect(dollarsPerHour.high - driver).toBeCloseTo(3 * (estimateOf(experiment).dollarsPerHour.high - driver), 6);
    expect(lines.map(({ what }) => what)).toContain('3 × 10,000 IOPS of io2');
    expect(logVolumes[0]?.dollarsPerMonth.low).toBeCloseTo(3 * 425, 6);
    expect(logVolumes[0]?.share?.low).toBeCloseTo(425 / (1128 + 425 + 8 * 730), 6);
    expect(stackPrice(deployable(replicated, 'full'), 'us-east-1')?.whole).toBe(60.12);
  });

  test('has no cost of a run whose length nobody can foretell', () => {
    expect(estimateOf(experiment, null).run).toBeNull();
  });
});

describe('what is billed', () => {
  /** Every unit costs a dollar a month, so that the lines show their quantities. */
  const unit: Prices = {
    ...kept,
    find: () => ({ low: 1, high: 1, per: 'month', origin: { words: 'made up', date: '2026-11-21' } }),
  };
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
    const billed = quantities(experimentOf((content) => content));
    expect(billed).toMatchObject({ 'driver: 8 endpoints': 8 });
    expect(billed).not.toHaveProperty('driver: public address');
  });

  test('of a driver with a public address, that address and no endpoints', () => {
    const billed = quantities(experimentOf((content) => ({ ...content, network: { mode: 'public-driver' } })));
    expect(billed).toMatchObject({ 'driver: public address': 1 });
    expect(Object.keys(billed).join()).not.toContain('endpoints');
  });

  test('of Database Insights, what exceeds its free week', () => {
    const monitoring = { databaseInsights: { mode: 'standard', retentionDays: 31 } };
    // db.r6g.2xlarge has eight vCPUs.
    const retained = quantities(experimentOf((content) => ({ ...content, monitoring })));
    expect(retained).toMatchObject({ 'a: Database Insights for 31 days': 8 });
    const advanced = { databaseInsights: { mode: 'advanced' } };
    const watched = quantities(experimentOf((content) => ({ ...content, monitoring: advanced })));
    expect(watched).toMatchObject({ 'b: Database Insights, advanced': 8 });
    expect(Object.keys(quantities(experimentOf((content) => content))).join()).not.toContain('Insights');
  });
});

test('a driver is told what its stack costs only where the prices of its Region and of all instances are known', () => {
  const stackOf = (experiment: Experiment, region = 'us-east-1') =>
    stackPrice(deployable(experiment, 'full'), region);
  // The driver, two of db.r6g.2xlarge, each with 1,000 GiB and 10,000 IOPS of io2, and one log volume.
  const small = experimentOf((content) => content);
  const driver = 1.008 + 8 / 730 + 8 * 0.01;
  expect(stackOf(small)?.whole).toBeCloseTo(driver + 2 * 0.899 + (2 * 1125 + 425) / 730, 2);
  expect(stackOf(small)?.withoutDatabases).toBeCloseTo(driver, 2);
  // Frankfurt’s own: 1.216 and 1.097, and up to 0.15 a GiB and 0.12 for one of the IOPS.
  const frankfurt = 1.216 + 9.52 / 730 + 8 * 0.012 + 2 * 1.097 + (2 * 1350 + 510) / 730;
  expect(stackOf(small, 'eu-central-1')?.whole).toBeCloseTo(frankfurt, 2);
  expect(stackOf(small, 'eu-west-1')).toBeNull();
  expect(stackOf(experimentOf((content) => ({ ...content, driver: { class: 'x1.32xlarge' } })))).toBeNull();
});
