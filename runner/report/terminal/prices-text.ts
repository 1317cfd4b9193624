import type { Price, Priced } from '../../costs/price.ts';
import type { RenewedPrices } from '../../costs/renew-prices.ts';
import { left, right } from '../view/table.ts';
import { renderTable } from './terminal-table.ts';
import { wrap } from './wrap.ts';

/** What a fetch of prices found, and what it changed. */
export function renderRenewedPrices(
  { prices, fetched, added, changed, left: remaining }: RenewedPrices,
  { region, file, written }: { region: string; file: string; written: boolean },
  { columns }: { columns: number },
): string {
  const same = fetched - added.length - changed.length;
  const sentences = [
    `${region}: ${fetched} prices fetched from AWS’s price list: ${added.length} new, ${changed.length} changed, ${same} as they were.`,
    ...(remaining.length > 0
      ? [`${remaining.length} that it does not have stay as they were: ${remaining.map(pricedWords).join('; ')}.`]
      : []),
    written
      ? `${prices.length} prices are kept in ${file}.`
      : `Nothing was written; ${file} would keep ${prices.length}.`,
  ];
  const table = {
    title: 'Changed',
    columns: [left('changed'), right('dollars before'), right('now'), left('per')],
    rows: changed.map(({ priced, from, to }) => ({
      cells: [pricedWords(priced), rangeText(from), rangeText(to), to.per],
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
    case 'database-insights':
      return `Database Insights, ${priced.mode}, of a vCPU`;
  }
}

function rangeText({ low, high }: Price): string {
  return low === high ? `${low}` : `${low} to ${high}`;
}
