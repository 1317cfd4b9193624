import { type CostEstimate, type CostLine, hasUnpricedInstances } from '../../rds/prices/estimate.ts';
import type { Dates, Dollars, Price, Priced } from '../../rds/prices/price.ts';
import type { RenewedPrices } from '../../rds/prices/kept-prices.ts';
import { renderTable } from '../media/terminal-table.ts';
import { wrap } from '../media/wrap.ts';
import { dollarsText, durationText, rangeText, withNoun } from '../../contract/format.ts';
import { left, right, type Row, type Table } from '../media/table.ts';

const notKnown = 'unknown';

/** Costs of an estimate: pairs of a term and its text. @param now from which the age of the prices counts */
export function costFacts(costs: CostEstimate, now: Date): [term: string, words: string][] {
  const { logVolumes, snapshots } = costs;
  return [
    ['costs', sumsText(costs)],
    ...(costs.isUnannounced
      ? [
          ['messages', 'none before the stack deletes itself, and none if it cannot: notify is not set'] satisfies [
            string,
            string,
          ],
        ]
      : []),
    ...(snapshots === null
      ? []
      : [
          [
            'snapshots',
            `${snapshots.count} outlive the stack: at most $${Math.ceil(snapshots.maxDollarsPerMonth)} a month (full volumes, price of us-east-1), until you delete them`,
          ] satisfies [string, string],
        ]),
    ...logVolumes.map(({ variant, dollarsPerMonth, share }): [string, string] => [
      'log volume',
      `${dollarsText(dollarsPerMonth)} a month, ${share === null ? `its share of the costs of ${variant} is ${notKnown}` : `${shareText(share)} of what ${variant} costs`}`,
    ]),
    ['prices', pricesText(costs, now)],
    ...(costs.notKnown.length === 0 ? [] : [['unknown', notKnownText(costs)] satisfies [string, string]]),
    ['not included', costs.leftOut],
  ];
}

function sumsText(costs: CostEstimate): string {
  const { run, atMost, dollarsPerHour, deletesItself } = costs;
  // Their sum would be $0.00.
  if (costs.notKnown.length > 0 && dollarsPerHour.high === 0) return `${notKnown}: no known price`;
  const known = costs.notKnown.length === 0 ? '' : 'at least ';
  return [
    ...(hasUnpricedInstances(costs) ? [`mostly ${notKnown}, because the price of an instance is missing`] : []),
    `${known}${dollarsText(dollarsPerHour)} an hour`,
    run === null
      ? 'the run: unknown, because its length is unknown'
      : `the run: ${known}${dollarsText(run.dollars)} for ${durationText(run.hours * 3600)}`,
    atMost === null
      ? deletesItself
        ? `until the stack deletes itself: ${notKnown}, because only the end of its run, or an hour without an update, ends it`
        : 'nothing ends the bill but you'
      : `until the stack deletes itself: ${atMost.by === 'expiry' ? known : ''}${dollarsText(atMost.dollars)} at most, when its ${atMost.by === 'limit' ? 'limit is reached' : 'lifetime is over'}`,
  ].join('; ');
}

export function costTable({ lines, dollarsPerHour }: CostEstimate): Table {
  return {
    title: 'Costs',
    columns: [left('billed'), left('what'), right('dollars an hour'), right('a month', 1)],
    rows: [...lines.map(row), { cells: ['total of known prices', '', rangeText(dollarsPerHour, 2), ''] }],
    notes: [],
  };
}

function row({ variant, what, dollarsPerHour, dollarsPerMonth }: CostLine): Row {
  return {
    cells: [
      variant ?? 'driver',
      what,
      dollarsPerHour === null ? notKnown : rangeText(dollarsPerHour, 3),
      dollarsPerMonth === null ? notKnown : rangeText(dollarsPerMonth, 0),
    ],
  };
}

function notKnownText({ notKnown, remedy, prices }: CostEstimate): string {
  const remedyText = prices.dates === null ? '' : `; this fetches the prices: ${remedy}`;
  return `${notKnown.join('; ')}${remedyText}`;
}

function pricesText({ prices, remedy }: CostEstimate, now: Date): string {
  const { source, region, dates } = prices;
  if (dates === null)
    return `none for ${region} are ${source === 'kept' ? `kept; this fetches the prices: ${remedy}` : 'in AWS’s list'}`;
  const when = dates.from === dates.to ? dates.to : `${dates.from} to ${dates.to}`;
  return source === 'price-list'
    ? `AWS Price List, ${region}, on demand, ${when}`
    : `${region}, on demand, ${when} (${ageText(dates, now)}), as saved with their sources in prices/${region}.json. With AWS credentials, pgduet asks AWS instead; to update the saved prices, with or without: ${remedy}`;
}

/** Such as `the oldest 583 days old`. */
function ageText({ from, to }: Dates, now: Date): string {
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(from)) / 86_400_000));
  return `${from === to ? '' : 'the oldest '}${withNoun(days, 'day')} old`;
}

function shareText({ low, high }: Dollars): string {
  return `${rangeText({ low: low * 100, high: high * 100 }, 0)}%`;
}

/** What a fetch of prices found, and what it changed. */
export function renderRenewedPrices(
  { prices, fetched, added, changed, left: remaining }: RenewedPrices,
  { region, file, written }: { region: string; file: string; written: boolean },
  { columns }: { columns: number },
): string {
  const same = fetched - added.length - changed.length;
  const sentences = [
    `${region}: ${fetched} prices fetched from AWS’s price list: ${added.length} new, ${changed.length} changed, ${same} unchanged.`,
    ...(remaining.length > 0
      ? [`Not in that list, and kept unchanged (${remaining.length}): ${remaining.map(pricedWords).join('; ')}.`]
      : []),
    written
      ? `${prices.length} prices are kept in ${file}.`
      : `Nothing was written; ${file} would have ${prices.length} prices.`,
  ];
  const table = {
    title: 'Changed',
    columns: [left('changed'), right('dollars before'), right('now'), left('per')],
    rows: changed.map(({ priced, from, to }) => ({
      cells: [pricedWords(priced), dollarsFromTo(from), dollarsFromTo(to), to.per],
    })),
    notes: [],
  };
  return [
    ...sentences.flatMap((sentence) => wrap(sentence, columns)),
    ...(changed.length > 0 ? ['', renderTable(table, { columns, colour: false })] : []),
    '',
  ].join('\n');
}

/** Such as `db.r6g.2xlarge, single-az` or `IOPS of io2, multi-az-instance`. */
function pricedWords(priced: Priced): string {
  const deployment = 'deployment' in priced ? `, ${priced.deployment}` : '';
  switch (priced.kind) {
    case 'driver-instance':
    case 'database-instance':
      return `${priced.class}${deployment}`;
    case 'driver-volume':
      return 'GiB of the driver’s gp3';
    case 'public-address':
      return 'public address';
    case 'endpoint':
      return 'endpoint';
    case 'database-storage':
      return `GiB of ${priced.type}${deployment}`;
    case 'database-iops':
      return `IOPS of ${priced.type}${deployment}`;
    case 'database-throughput':
      return `MiB/s of gp3${deployment}`;
    case 'database-proxy':
      return 'RDS Proxy, per vCPU';
    case 'database-insights':
      return `Database Insights, ${priced.mode}, per vCPU`;
  }
}

function dollarsFromTo({ low, high }: Price): string {
  return low === high ? `${low}` : `${low} to ${high}`;
}
