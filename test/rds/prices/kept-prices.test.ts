import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keptPrices, keptPricesFile, priceFileText, readPriceFile } from '../../../runner/rds/prices/kept-prices.ts';
import { pricedKey } from '../../../runner/rds/prices/price.ts';

const project = path.resolve(import.meta.dirname, '../../..');
const files = readdirSync(path.join(project, 'prices'));

describe.each(files)('prices/%s', (name) => {
  const text = readFileSync(path.join(project, 'prices', name), 'utf8');
  const { region, prices } = readPriceFile(text, name);

  test('is of the Region of its name, prices nothing twice, and is as the command would write it', () => {
    expect(`${region}.json`).toBe(name);
    expect(new Set(prices.map(({ priced }) => pricedKey(priced))).size).toBe(prices.length);
    expect(priceFileText(region, prices)).toBe(text);
  });

  test('has a Multi-AZ instance at twice the price, and a cluster at up to three times', () => {
    const { find } = keptPrices(region);
    for (const { priced, low, high } of prices) {
      if (!('deployment' in priced) || priced.deployment !== 'single-az') continue;
      const twice = find({ ...priced, deployment: 'multi-az-instance' });
      expect([twice?.low, twice?.high]).toEqual([expect.closeTo(2 * low, 6), expect.closeTo(2 * high, 6)]);
      const cluster = find({ ...priced, deployment: 'multi-az-cluster' });
      if (!cluster) continue;
      expect(cluster.high).toBeCloseTo(3 * high, 6);
      expect(cluster.low).toBeGreaterThan(2.84 * low);
    }
  });

  test.each(['r5', 'r6g', 'r6gd', 'r6i', 'r7g', 'r8g', 'm6g', 'm7g', 'm8g', 'm6i'])(
    'knows %s from large to 16xlarge, each size at its share of the largest',
    (family) => {
      const { find } = keptPrices(region);
      const hourly = (size: string) =>
        find({ kind: 'database-instance', class: `db.${family}.${size}`, deployment: 'single-az' })?.high ?? Number.NaN;
      for (const [size, share] of [
        ['large', 32],
        ['2xlarge', 8],
        ['4xlarge', 4],
        ['8xlarge', 2],
      ] as const) {
        // The list rounds to a tenth of a cent.
        expect(Math.abs(share * hourly(size) - hourly('16xlarge'))).toBeLessThan(share * 0.0006 + 0.0006);
      }
    },
  );
});

test('kept prices hold in their Region only: in another, none is known', () => {
  expect(keptPrices('us-east-1').find({ kind: 'public-address' })).toMatchObject({ low: 0.005, per: 'hour' });
  expect(keptPrices('eu-west-1').find({ kind: 'public-address' })).toBeNull();
});

test('PostgreSQL on db.r5.16xlarge costs 8 dollars an hour; 7.68 is what MySQL costs', () => {
  const { find } = keptPrices('us-east-1');
  expect(find({ kind: 'database-instance', class: 'db.r5.16xlarge', deployment: 'single-az' })).toMatchObject({
    low: 8,
    high: 8,
    origin: { date: '2025-04-24' },
  });
});

test('kept prices of the working folder come before those that pgduet brings', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(keptPricesFile('us-east-1', folder)).toBe(path.join(project, 'prices/us-east-1.json'));
  const own = path.join(folder, 'prices/us-east-1.json');
  mkdirSync(path.dirname(own));
  writeFileSync(own, '');
  expect(keptPricesFile('us-east-1', folder)).toBe(own);
});

test('a damaged file, and a price without a source, are refused with the file’s name and the remedy', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'xx-1.json');
  const head = { kind: 'pgduet-prices', schemaVersion: 1, toolVersion: '0', region: 'xx-1', sources: {} };
  const price = { priced: { kind: 'endpoint' }, low: 1, high: 1, per: 'hour', source: 'hearsay' };
  writeFileSync(file, JSON.stringify({ ...head, prices: [price] }));
  expect(() => keptPrices('xx-1', file)).toThrow(
    /xx-1\.json is damaged[^]*hearsay, which is not among the sources[^]*pgduet prices/,
  );
  writeFileSync(file, '{');
  expect(() => keptPrices('xx-1', file)).toThrow(/xx-1\.json is not JSON/);
});
