import type { CostLine } from '../../costs/cost-lines.ts';
import { type CostEstimate, lacksInstances } from '../../costs/estimate.ts';
import type { Dollars } from '../../costs/price.ts';
import { left, right, type Row, type Table } from '../view/table.ts';
import { dollarsText, rangeText } from '../words/dollars-text.ts';
import { durationText } from '../words/duration-text.ts';

const notKnown = 'not known';

/** Costs of an estimate: pairs of a term and its text. */
export function costFacts(costs: CostEstimate): [term: string, words: string][] {
  const { run, untilExpiry, logVolumes, dollarsPerHour } = costs;
  const known = costs.notKnown.length === 0 ? '' : 'at least ';
  return [
    [
      'costs',
      [
        ...(lacksInstances(costs) ? [`mostly ${notKnown}, for want of the price of an instance`] : []),
        `${known}${dollarsText(dollarsPerHour)} an hour`,
        run === null
          ? 'the run: not known, since its length is not'
          : `the run: ${known}${dollarsText(run.dollars)} for ${durationText(run.hours * 3600)}`,
        ...(untilExpiry === null
          ? ['the stack never deletes itself']
          : [
              `at most ${known}${dollarsText(untilExpiry.dollars)}: its stack deletes itself after ${durationText(untilExpiry.hours * 3600)}, whatever happens`,
            ]),
      ].join('; '),
    ],
    ...logVolumes.map(({ variant, dollarsPerMonth, share }): [string, string] => [
      'log volume',
      `${dollarsText(dollarsPerMonth)} a month, ${share === null ? `what share of ${variant} that is, is ${notKnown}` : `${shareText(share)} of what ${variant} costs`}`,
    ]),
    ['prices', pricesText(costs)],
    ...(costs.notKnown.length === 0 ? [] : [['not known', notKnownText(costs)] satisfies [string, string]]),
    ['left out', costs.leftOut],
  ];
}

export function costTable({ lines, dollarsPerHour }: CostEstimate): Table {
  return {
    title: 'Costs',
    columns: [left('billed'), left('what'), right('dollars an hour'), right('a month', 1)],
    rows: [...lines.map(row), { cells: ['all that is known', '', rangeText(dollarsPerHour, 2), ''] }],
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
  const remedyText = prices.dates === null ? '' : `; with AWS credentials, they are fetched by: ${remedy}`;
  return `${notKnown.join('; ')}${remedyText}`;
}

function pricesText({ prices, remedy }: CostEstimate): string {
  const { source, region, dates } = prices;
  if (dates === null)
    return `of ${region}, none are ${source === 'kept' ? `kept; with AWS credentials, they are fetched by: ${remedy}` : 'in AWS’s list'}`;
  const when = dates.from === dates.to ? dates.to : `${dates.from} to ${dates.to}`;
  return source === 'price-list'
    ? `AWS Price List, ${region}, on demand, ${when}`
    : `of ${region}, on demand, of ${when}, as kept in prices/${region}.json with their sources; with AWS credentials, AWS’s own list is asked, and these are renewed by: ${remedy}`;
}

function shareText({ low, high }: Dollars): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return percent(low) === percent(high) ? percent(low) : `${Math.round(low * 100)} to ${percent(high)}`;
}
