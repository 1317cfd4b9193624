import { PricingClient } from '@aws-sdk/client-pricing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readOfferFiles } from '../../../runner/rds/prices/offer-files.ts';
import { fieldsOf, type OfferHead, onDemandRows } from '../../../runner/rds/prices/offer-rows.ts';
import { type Priced, pricedKey } from '../../../runner/rds/prices/price.ts';
import { askPriceList } from '../../../runner/rds/prices/price-list.ts';
import { fakeAws, jsonAnswer } from '../../helpers/fakes/fake-aws.ts';
import { serveOfferFiles } from '../../helpers/servers/offer-files.ts';

const { signal } = new AbortController();
const say = (): void => undefined;

const deployment = 'single-az';
const database = (name: string, its: 'single-az' | 'multi-az-instance' | 'multi-az-cluster' = deployment): Priced => ({
  kind: 'database-instance',
  class: name,
  deployment: its,
});

/** What the excerpts have of eu-west-1, with the products as GetProducts answers. */
const expected: [priced: Priced, dollars: number, per: 'hour' | 'month', unit: string, attributes: object][] = [
  [{ kind: 'driver-instance', class: 'r5.4xlarge' }, 1.128, 'hour', 'Hrs', { instanceType: 'r5.4xlarge' }],
  [{ kind: 'driver-instance', class: 'c8g.2xlarge' }, 0.341, 'hour', 'Hrs', { instanceType: 'c8g.2xlarge' }],
  [{ kind: 'driver-volume' }, 0.088, 'month', 'GB-Mo', {}],
  [database('db.r9g.2xlarge'), 1.19, 'hour', 'Hrs', { instanceType: 'db.r9g.2xlarge', deploymentOption: 'Single-AZ' }],
  [
    database('db.r9g.2xlarge', 'multi-az-instance'),
    2.38,
    'hour',
    'Hrs',
    { instanceType: 'db.r9g.2xlarge', deploymentOption: 'Multi-AZ' },
  ],
  [
    database('db.r6gd.4xlarge', 'multi-az-cluster'),
    5.25,
    'hour',
    'Hrs',
    { instanceType: 'db.r6gd.4xlarge', deploymentOption: 'Multi-AZ (readable standbys)' },
  ],
  [database('db.x2g.large'), 0.4, 'hour', 'Hrs', { instanceType: 'db.x2g.large', deploymentOption: 'Single-AZ' }],
  [
    { kind: 'database-storage', type: 'io2', deployment },
    0.138,
    'month',
    'GB-Mo',
    { volumeType: 'Provisioned IOPS-IO2', deploymentOption: 'Single-AZ', databaseEngine: 'PostgreSQL' },
  ],
  [
    { kind: 'database-storage', type: 'gp3', deployment },
    0.127,
    'month',
    'GB-Mo',
    { volumeType: 'General Purpose-GP3', deploymentOption: 'Single-AZ' },
  ],
  ...(
    [
      ['io2', 0.11, 'EU-RDS:IO2-PIOPS'],
      ['io1', 0.119, 'EU-RDS:PIOPS'],
      ['gp3', 0.022, 'EU-RDS:GP3-PIOPS'],
    ] as const
  ).map(([type, dollars, usagetype]): (typeof expected)[number] => [
    { kind: 'database-iops', type, deployment },
    dollars,
    'month',
    'IOPS-Mo',
    { usagetype, deploymentOption: 'Single-AZ' },
  ]),
  [
    { kind: 'database-throughput', deployment },
    0.088,
    'month',
    'MBPS-Mo',
    { usagetype: 'EU-RDS:GP3-Throughput', deploymentOption: 'Single-AZ' },
  ],
  [{ kind: 'public-address' }, 0.005, 'hour', 'Hrs', { usagetype: 'EU-PublicIPv4:InUseAddress' }],
  [{ kind: 'endpoint' }, 0.011, 'hour', 'Hrs', { usagetype: 'EU-VpcEndpoint-Hours' }],
];

describe('the offer files that AWS publishes', () => {
  test('are read for the prices on demand of their Region, with the date of their publication', async () => {
    const { address, asked } = await serveOfferFiles();
    const lines: string[] = [];
    const found = await readOfferFiles('eu-west-1', { address, say: (line) => lines.push(line), signal });
    const url = (service: string): string => `${address}/offers/v1.0/aws/${service}/current/eu-west-1/index.csv`;
    expect(asked.map((path) => `${address}${path}`)).toEqual(['AmazonEC2', 'AmazonVPC', 'AmazonRDS'].map(url));
    expect(lines).toHaveLength(3);
    expect(found.map(({ priced, low, high, per }) => [pricedKey(priced), low, high, per]).sort()).toEqual(
      expected.map(([priced, dollars, per]) => [pricedKey(priced), dollars, dollars, per]).sort(),
    );
    expect(new Set(found.map(({ origin }) => origin.date))).toEqual(new Set(['2026-11-20']));
    expect(found.find(({ priced }) => priced.kind === 'endpoint')?.origin.url).toBe(url('AmazonVPC'));
  });

  test('have the same prices as GetProducts', async () => {
    const { address } = await serveOfferFiles();
    const found = await readOfferFiles('eu-west-1', { address, say, signal });
    for (const [priced, dollars, , unit, attributes] of expected) {
      const offer = { priceDimensions: { one: { unit, pricePerUnit: { USD: String(dollars) } } } };
      const aws = fakeAws(() =>
        jsonAnswer({ PriceList: [JSON.stringify({ product: { attributes }, terms: { OnDemand: { offer } } })] }),
      );
      const asked = await askPriceList(new PricingClient(aws.options), [priced], 'eu-west-1', new Date(), signal);
      const inFile = found.find((entry) => pricedKey(entry.priced) === pricedKey(priced));
      const { low, high, per } = asked.find(priced) ?? {};
      expect(inFile, pricedKey(priced)).toMatchObject({ low, high, per });
    }
  });

  test('of a Region that does not exist are refused with its name, and what cannot be read with its address', async () => {
    const { address } = await serveOfferFiles();
    await expect(readOfferFiles('eu-west-9', { address, say, signal })).rejects.toThrow(
      /AWS publishes no prices of AmazonEC2 for the Region "eu-west-9" \(.*\)\. Check the name\./,
    );
    const unreached = readOfferFiles('eu-west-1', { address: 'http://127.0.0.1:1', say, signal });
    await expect(unreached).rejects.toThrow(/http:\/\/127\.0\.0\.1:1\//);
    await expect(unreached).rejects.toMatchObject({ failure: 'connection-lost', isTransient: true });
  });

  test('in another format are refused: a price must not be missing in silence', async () => {
    const without = (column: string) => serveOfferFiles((text) => text.replace(`"${column}"`, '"Other"'));
    for (const [column, words] of [
      ['PricePerUnit', 'no column priceperunit'],
      ['TermType', 'no column termtype'],
      ['Publication Date', 'no date'],
    ] as const) {
      const { address } = await without(column);
      await expect(readOfferFiles('eu-west-1', { address, say, signal })).rejects.toThrow(words);
    }
    const { address } = await serveOfferFiles(() => '<html>');
    await expect(readOfferFiles('eu-west-1', { address, say, signal })).rejects.toThrow('not in the format');
  });

  test('end when the command is interrupted', async () => {
    const { address } = await serveOfferFiles();
    const reason = new Error('interrupted');
    await expect(readOfferFiles('eu-west-1', { address, say, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('a row', () => {
  test('is read as it was written, wherever its parts end', async () => {
    const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', ' ', '€') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(field, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 20 }),
        async (values, size) => {
          const quoted = (all: readonly string[]): string =>
            all.map((one) => `"${one.replaceAll('"', '""')}"`).join(',');
          const names = values.map((_, index) => `Column ${index}`);
          const text = `"Publication Date","2026-11-20T00:00:00Z"\n${quoted(['SKU', 'TermType', ...names])}\n${quoted(['X', 'OnDemand', ...values])}\n`;
          const bytes = Buffer.from(text);
          async function* chunks() {
            for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
          }
          const head: OfferHead = { published: null, columns: null };
          const rows = [];
          for await (const row of onDemandRows(chunks(), head))
            rows.push(names.map((_, index) => row.get(`column${index}`)));
          expect(head.published).toBe('2026-11-20');
          expect(rows).toEqual([values.map((value) => (value === '' ? undefined : value))]);
        },
      ),
    );
  });

  test('may leave out fields and quotes', () => {
    expect(fieldsOf('"a",,b,"c ""d"", e",')).toEqual(['a', '', 'b', 'c "d", e', '']);
    expect(fieldsOf('"a","b","c"', 2)).toEqual(['a', 'b']);
  });
});
