import { PricingClient } from '@aws-sdk/client-pricing';
import { describe, expect, test } from 'vitest';
import type { Priced } from '../../../runner/rds/prices/price.ts';
import { askPriceList } from '../../../runner/rds/prices/price-list.ts';
import { type FakeRequest, fakeAws, jsonAnswer, jsonError } from '../../helpers/fakes/fake-aws.ts';

const now = new Date('2026-11-21T10:00:00Z');
const { signal } = new AbortController();

/** A product as AWS's price list writes it, with only the fields that are read. */
function product(attributes: Record<string, string>, unit: string, ...dollars: string[]): string {
  const priceDimensions = Object.fromEntries(
    dollars.map((USD, index) => [`${index}`, { unit, pricePerUnit: { USD } }]),
  );
  return JSON.stringify({ product: { attributes }, terms: { OnDemand: { offer: { priceDimensions } } } });
}

function ask(wanted: Priced[], answer: (request: FakeRequest) => object) {
  const aws = fakeAws((request) => jsonAnswer(answer(request)));
  return {
    requests: aws.requests,
    prices: askPriceList(new PricingClient(aws.options), wanted, 'eu-central-1', now, signal),
  };
}

function filtersOf({ input }: FakeRequest): Record<string, string> {
  return Object.fromEntries(
    (input['Filters'] as { Field: string; Value: string }[]).map(({ Field, Value }) => [Field, Value]),
  );
}

describe('the price list', () => {
  test('is asked for the Region, engine, class and deployment, each thing once', async () => {
    const wanted: Priced = { kind: 'database-instance', class: 'db.r6gd.4xlarge', deployment: 'multi-az-cluster' };
    const { requests, prices } = ask([wanted, { ...wanted }], () => ({
      PriceList: [
        product({ instanceType: 'db.r6gd.4xlarge', deploymentOption: 'Multi-AZ (readable standbys)' }, 'Hrs', '5.25'),
      ],
    }));
    const found = await prices;
    const origin = { words: 'AWS Price List API', date: '2026-11-21' };
    expect(found.find(wanted)).toMatchObject({ low: 5.25, high: 5.25, per: 'hour', origin });
    expect(found).toMatchObject({ source: 'price-list', region: 'eu-central-1' });
    expect(requests).toHaveLength(1);
    const [request] = requests as [FakeRequest];
    expect(request.input['ServiceCode']).toBe('AmazonRDS');
    expect(filtersOf(request)).toEqual({
      regionCode: 'eu-central-1',
      productFamily: 'Database Instance',
      databaseEngine: 'PostgreSQL',
      instanceType: 'db.r6gd.4xlarge',
      deploymentOption: 'Multi-AZ (readable standbys)',
    });
  });

  test('lists the IOPS of all storage types under one roof, told apart by their usage', async () => {
    const singleAz = { deploymentOption: 'Single-AZ' };
    const rows = [
      product({ ...singleAz, usagetype: 'EUC1-RDS:PIOPS', databaseEngine: 'Any' }, 'IOPS-Mo', '0.119'),
      product({ ...singleAz, usagetype: 'EUC1-RDS:IO2-PIOPS', databaseEngine: 'PostgreSQL' }, 'IOPS-Mo', '0.118'),
      product({ ...singleAz, usagetype: 'EUC1-RDS:IO2-PIOPS', databaseEngine: 'SQL Server' }, 'IOPS-Mo', '0.5'),
      product({ ...singleAz, usagetype: 'EUC1-RDS:GP3-PIOPS' }, 'IOPS-Mo', '0.024'),
    ];
    const wanted = (['io1', 'io2', 'gp3'] as const).map((type): Priced => ({
      kind: 'database-iops',
      type,
      deployment: 'single-az',
    }));
    const prices = await ask(wanted, () => ({ PriceList: rows })).prices;
    expect(wanted.map((priced) => prices.find(priced)?.high)).toEqual([0.119, 0.118, 0.024]);
  });

  test('comes in pages, holds rows that cost nothing, and gives a range where rows differ', async () => {
    const r5 = { instanceType: 'r5.4xlarge' };
    const pages: Record<string, object> = {
      first: { PriceList: [product(r5, 'Hrs', '0.0000000000', '1.1')], NextToken: 'second' },
      second: { PriceList: [product(r5, 'Hrs', '1.2'), product(r5, 'Quantity', '900')] },
    };
    const driver: Priced = { kind: 'driver-instance', class: 'r5.4xlarge' };
    const { prices, requests } = ask(
      [driver],
      ({ input }) => pages[(input['NextToken'] as string | undefined) ?? 'first'] ?? {},
    );
    expect((await prices).find(driver)).toMatchObject({ low: 1.1, high: 1.2, per: 'hour' });
    expect(requests).toHaveLength(2);
  });

  test('leaves unknown what it has no row for, and what it is not asked for', async () => {
    const wanted: Priced[] = [{ kind: 'public-address' }, { kind: 'database-insights', mode: 'advanced' }];
    const { prices, requests } = ask(wanted, () => ({
      PriceList: [product({ usagetype: 'EUC1-PublicIPv4:IdleAddress' }, 'Hrs', '0.005')],
    }));
    const found = await prices;
    expect(wanted.map((priced) => found.find(priced))).toEqual([null, null]);
    expect(requests).toHaveLength(1);
  });

  test('that refuses says what is missing', async () => {
    const aws = fakeAws(() =>
      jsonError('AccessDeniedException', 'User alice is not authorized to perform: pricing:GetProducts'),
    );
    const asked = askPriceList(new PricingClient(aws.options), [{ kind: 'public-address' }], 'us-east-1', now, signal);
    await expect(asked).rejects.toThrow(/pricing:GetProducts of AmazonVPC was denied: User alice/);
  });
});
