import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PricingClient } from '@aws-sdk/client-pricing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prices, type PricesOptions } from '../../runner/cli/actions/prices.ts';
import { keptPrices, ownPricesFile } from '../../runner/costs/kept-prices.ts';
import type { Priced } from '../../runner/costs/price.ts';
import { fakeAws, type FakeRequest, jsonAnswer, jsonError } from '../helpers/fakes/fake-aws.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

/** A product as AWS's price list writes it, with only the fields that are read. */
function product(attributes: Record<string, string>, unit: string, dollars: string): string {
  const priceDimensions = { one: { unit, pricePerUnit: { USD: dollars } } };
  return JSON.stringify({ product: { attributes }, terms: { OnDemand: { offer: { priceDimensions } } } });
}

const instance = (instanceType: string, dollars: string, deploymentOption = 'Single-AZ') =>
  product({ instanceType, deploymentOption }, 'Hrs', dollars);

/** What a made-up Region has, by product family. */
function regionOf(answers: Record<string, string[]>) {
  return ({ input }: FakeRequest) => {
    const filters = input['Filters'] as { Field: string; Value: string }[];
    const family = filters.find(({ Field }) => Field === 'productFamily')?.Value ?? 'others';
    return jsonAnswer({ PriceList: answers[family] ?? [] });
  };
}

const database: Priced = { kind: 'database-instance', class: 'db.r6g.2xlarge', deployment: 'single-az' };
const unusual: Priced = { kind: 'database-instance', class: 'db.x2g.large', deployment: 'single-az' };

const first = {
  'Database Instance': [
    instance('db.r6g.2xlarge', '1.1'),
    instance('db.m8gd.large', '0.3', 'Multi-AZ (readable standbys)'),
    instance('db.x2g.large', '0.4'),
  ],
  'Provisioned Throughput': [
    product({ usagetype: 'XX1-RDS:GP3-Throughput', deploymentOption: 'Single-AZ' }, 'MBPS-Mo', '0.09'),
  ],
};

function setting() {
  const folder = mkdtempSync(path.join(tmpdir(), 'prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const fetch = async (
    answer: Parameters<typeof fakeAws>[0],
    options: PricesOptions = {},
    workingFolder = folder,
  ): Promise<{ stdout: string; stderr: string; requests: FakeRequest[] }> => {
    const aws = fakeAws(answer);
    const { io, printed } = fakeIo({ workingFolder });
    const makeClient = () => new PricingClient(aws.options);
    const now = () => new Date('2026-11-21T10:00:00Z');
    await prices({ region: 'xx-1', ...options }, io, { makeClient, now });
    return { ...printed(), requests: aws.requests };
  };
  return { folder, fetch };
}

describe('pgduet prices', () => {
  test('keeps what AWS’s list has of the families that people use, with source and date', async () => {
    const { folder, fetch } = setting();
    const { stdout, requests } = await fetch(regionOf(first));
    expect(stdout).toContain('xx-1: 3 prices fetched from AWS’s price list: 3 new, 0 changed, 0 unchanged.');
    const kept = keptPrices('xx-1', ownPricesFile('xx-1', folder));
    expect(kept.find(database)).toEqual({
      low: 1.1,
      high: 1.1,
      per: 'hour',
      origin: { words: 'AWS Price List API', date: '2026-11-21' },
    });
    expect(kept.find({ kind: 'database-throughput', deployment: 'single-az' })).toMatchObject({
      low: 0.09,
      per: 'month',
    });
    expect(kept.find(unusual)).toBeNull();
    // One query for each kind of thing, not for each class.
    expect(requests.length).toBeLessThan(10);
  });

  test('keeps what the experiments here need, too', async () => {
    const { fetch } = setting();
    const small = smallExperiment();
    const here = folderWithExperiment('small', { ...small, common: { ...small.common, class: 'db.x2g.large' } });
    await fetch(regionOf(first), {}, here);
    expect(keptPrices('xx-1', ownPricesFile('xx-1', here)).find(unusual)).toMatchObject({ low: 0.4 });
  });

  test('says what changed against the kept file, and leaves what AWS’s list does not have', async () => {
    const { folder, fetch } = setting();
    await fetch(regionOf(first));
    const { 'Database Instance': _, ...others } = first;
    const second = regionOf({ ...others, 'Database Instance': [instance('db.r6g.2xlarge', '1.2')] });
    const dry = await fetch(second, { dryRun: true });
    expect(dry.stdout).toMatch(/2 prices fetched from AWS’s price list: 0 new, 1 changed, 1 unchanged/);
    expect(dry.stdout).toContain('Nothing was written');
    expect(keptPrices('xx-1', ownPricesFile('xx-1', folder)).find(database)).toMatchObject({ low: 1.1 });
    const { stdout } = await fetch(second);
    expect(stdout).toMatch(/db\.r6g\.2xlarge, single-az +1\.1 +1\.2 +hour/);
    expect(stdout).toContain('Not in that list, and kept unchanged (1): db.m8gd.large, multi-az-cluster.');
    expect(keptPrices('xx-1', ownPricesFile('xx-1', folder)).find(database)).toMatchObject({ low: 1.2 });
    expect(
      keptPrices('xx-1', ownPricesFile('xx-1', folder)).find({
        ...database,
        class: 'db.m8gd.large',
        deployment: 'multi-az-cluster',
      }),
    ).toMatchObject({ low: 0.3 });
    const json = JSON.parse((await fetch(second, { json: true })).stdout) as Record<string, unknown>;
    expect(json).toMatchObject({ region: 'xx-1', written: true, kept: 3, fetched: 2, added: [], changed: [] });
  });

  test('that AWS refuses, or that has no such Region, is said, and nothing is written', async () => {
    const { folder, fetch } = setting();
    const denied = () => jsonError('AccessDeniedException', 'not for you');
    await expect(fetch(denied)).rejects.toThrow(/pricing:GetProducts of AmazonEC2 was refused: not for you/);
    await expect(fetch(regionOf({}))).rejects.toThrow(/nothing for the Region "xx-1"/);
    expect(readdirSync(folder)).toEqual([]);
  });
});
