import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prices, type PricesOptions } from '../../runner/cli/actions/prices.ts';
import { keptPrices, ownPricesFile } from '../../runner/rds/prices/kept-prices.ts';
import type { Priced } from '../../runner/rds/prices/price.ts';
import { fakeIo, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { serveOfferFiles } from '../helpers/servers/offer-files.ts';

const region = 'eu-west-1';
const database: Priced = { kind: 'database-instance', class: 'db.r9g.2xlarge', deployment: 'single-az' };
const unusual: Priced = { kind: 'database-instance', class: 'db.x2g.large', deployment: 'single-az' };

function setting() {
  const folder = mkdtempSync(path.join(tmpdir(), 'prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const fetch = async (
    change?: Parameters<typeof serveOfferFiles>[0],
    options: PricesOptions = {},
    workingFolder = folder,
  ): Promise<{ stdout: string; stderr: string }> => {
    const { address } = await serveOfferFiles(change);
    const { io, printed } = fakeIo({ workingFolder });
    await prices({ region, ...options }, io, address);
    return printed();
  };
  const kept = (priced: Priced) => keptPrices(region, ownPricesFile(region, folder)).find(priced);
  return { folder, fetch, kept };
}

describe('pgduet prices', () => {
  test('keeps what AWS publishes of the families that people use, with source and date, without credentials', async () => {
    const { fetch, kept } = setting();
    const { stdout, stderr } = await fetch();
    expect(stdout).toContain('eu-west-1: 14 prices fetched from AWS’s price list: 14 new, 0 changed, 0 unchanged.');
    expect(stderr).toMatch(/^Reading http.*AmazonEC2.*\nReading http.*AmazonVPC.*\nReading http.*AmazonRDS.*\n$/);
    expect(kept(database)).toMatchObject({ low: 1.19, high: 1.19, per: 'hour', origin: { date: '2026-11-20' } });
    expect(kept({ kind: 'database-throughput', deployment: 'single-az' })).toMatchObject({ low: 0.088, per: 'month' });
    expect(kept(unusual)).toBeNull();
  });

  test('keeps what the experiments here need, too', async () => {
    const { fetch } = setting();
    const small = smallExperiment();
    const here = folderWithExperiment('small', { ...small, common: { ...small.common, class: 'db.x2g.large' } });
    await fetch(undefined, {}, here);
    expect(keptPrices(region, ownPricesFile(region, here)).find(unusual)).toMatchObject({ low: 0.4 });
  });

  test('is the remedy of a plan whose class has no price: then the plan says what it costs, and how old the price is', async () => {
    const { fetch } = setting();
    const small = smallExperiment();
    const common = { ...small.common, class: 'db.r9g.2xlarge' };
    const here = folderWithExperiment('small', { ...small, common, limits: { dollars: 1000 } });
    const planned = async () => {
      const { stdout, stderr, exitCode } = await runCommandLine(['plan', 'small', '--region', region], {
        workingFolder: here,
        columns: 100,
      });
      return { stdout: stdout.replaceAll(/\s+/g, ' '), stderr: stderr.replaceAll(/\s+/g, ' '), exitCode };
    };
    const before = await planned();
    expect(before.exitCode).toBe(2);
    expect(before.stderr).toContain(
      'Fetch the prices, which needs no credentials: npx --no-install pgduet prices --region eu-west-1',
    );
    expect(before.stderr).not.toContain('Raise the limit');
    await fetch(undefined, {}, here);
    const after = await planned();
    expect(after).toMatchObject({ stderr: '', exitCode: 0 });
    const days = Math.floor((Date.now() - Date.parse('2026-11-20')) / 86_400_000);
    expect(after.stdout).toContain(`eu-west-1, on demand, 2026-11-20 (${days} ${days === 1 ? 'day' : 'days'} old)`);
    expect(after.stdout).not.toContain('not known');
  });

  test('says what changed against the kept file, and leaves what AWS’s list does not have', async () => {
    const { fetch, kept } = setting();
    await fetch();
    const later = (text: string): string =>
      text
        .split('\n')
        .filter((line) => !line.includes('db.r6gd.4xlarge'))
        .join('\n')
        .replace('"1.1900000000"', '"1.2000000000"');
    const dry = await fetch(later, { dryRun: true });
    expect(dry.stdout).toMatch(/13 prices fetched from AWS’s price list: 0 new, 1 changed, 12 unchanged/);
    expect(dry.stdout).toContain('Nothing was written');
    expect(kept(database)).toMatchObject({ low: 1.19 });
    const { stdout } = await fetch(later);
    expect(stdout).toMatch(/db\.r9g\.2xlarge, single-az +1\.19 +1\.2 +hour/);
    expect(stdout).toContain('Not in that list, and kept unchanged (1): db.r6gd.4xlarge, multi-az-cluster.');
    expect(kept(database)).toMatchObject({ low: 1.2 });
    expect(kept({ ...database, class: 'db.r6gd.4xlarge', deployment: 'multi-az-cluster' })).toMatchObject({
      low: 5.25,
    });
    const json = JSON.parse((await fetch(later, { json: true })).stdout) as Record<string, unknown>;
    expect(json).toMatchObject({ region, written: true, kept: 14, fetched: 13, added: [], changed: [] });
  });

  test('of a Region that AWS does not have are refused, and nothing is written', async () => {
    const { folder, fetch } = setting();
    await expect(fetch(undefined, { region: 'xx-1' })).rejects.toThrow(/no prices of AmazonEC2 for the Region "xx-1"/);
    expect(readdirSync(folder)).toEqual([]);
  });
});
