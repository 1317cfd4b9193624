import { type Span, type Worth, worthOf } from '../../analysis/worth.ts';
import { type Comparison, unitOf, unitWords } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import type { ResultVariant } from '../../contract/run-record.ts';
import { variantNames } from '../../contract/server.ts';
import { conditionsWords, type Level, levelKey, levelWords } from '../../contract/trial.ts';
import { pricesCommand } from '../../rds/prices/kept-prices.ts';
import { datesOf, total } from '../../rds/prices/price.ts';
import { placeNamed } from '../../places/registry.ts';
import { toolOf } from '../../workloads/registry.ts';
import { ratioFormat } from '../../contract/format-change.ts';
import { absent, dollarsText, inScale, rangeText, scaleFor } from '../../contract/format.ts';
import { ratioWords } from '../metric-words.ts';
import { left, right, type Row, type Table } from '../media/table.ts';
import { onFile, type Section, tableBlock } from './section.ts';

/** What is known about the compared servers; null for runs that are known only by their outputs. */
export type ComparedServers = Pick<Result, 'variants' | 'place' | 'experiment'> | null;

/** What the answer is worth for the money: a sentence or two for each candidate; one short line if there is no price. */
export function worthSentences(comparisons: readonly Comparison[], servers: ComparedServers): string[] {
  const reason = whyNoCost(servers);
  return reason === null ? worthIn(comparisons, servers).map(worthWords) : [reason];
}

export const worthSection: Section = {
  id: 'worth',
  blocks: ({ result }) => {
    // Nobody asks what servers cost that are not billed.
    const { isBilled } = placeNamed(result.place.kind);
    const sentences = isBilled ? worthSentences(result.comparisons, result) : [];
    return [
      {
        title: 'Value for money',
        titleIn: onFile,
        parts: sentences.map((text) => ({ kind: 'paragraph', text })),
      },
    ];
  },
};

export const costsSection: Section = {
  id: 'costs',
  blocks: ({ result }) => [tableBlock(costsTable(result), { titleIn: onFile })],
};

/** One entry for each pair of variants at each level; none if there is no cost, or if it says nothing about value. */
export function worthIn(comparisons: readonly Comparison[], servers: ComparedServers): Worth[] {
  return whyNoCost(servers) === null ? worthOf(comparisons, servers?.variants ?? []) : [];
}

function whyNoCost(servers: ComparedServers): string | null {
  if (servers === null) return 'No cost shown: these measurements do not come from one pgduet run.';
  const { variants, place, experiment } = servers;
  const { isBilled, isFound, words } = placeNamed(place.kind);
  if (isFound) return 'No cost shown: pgduet does not know what these servers cost.';
  if (!isBilled) return `No cost shown: these servers are ${words}.`;
  if (variants.every(({ cost }) => cost === undefined)) return 'No cost shown: this run recorded no prices.';
  const { workload } = experiment.definition;
  if (toolOf(workload).shape(workload).offeredPerSecond !== null) {
    return 'No value for money shown: the fixed rate determines TPS, whatever the server costs.';
  }
  const lacking = variants.flatMap(({ cost }) =>
    (cost?.parts ?? []).filter(({ dollarsPerMonth }) => dollarsPerMonth === null).map(({ what }) => what),
  );
  if (lacking.length === 0) return null;
  const region = variants[0]?.cost?.region ?? '';
  return `No cost shown: the driver had no price in ${region} for ${[...new Set(lacking)].join(', ')}. Before the next deploy, run: ${pricesCommand(region)}`;
}

/** What the variants cost; without rows if there is no cost. */
export function costsTable(result: Result): Table {
  const { comparisons } = result;
  const variants = whyNoCost(result) === null ? result.variants : [];
  const worth = worthIn(comparisons, result);
  const perMillion = comparisons.filter(({ metric }) => metric === 'dollarsPerMillionTransactions');
  const levels = [...new Map(perMillion.map(({ conditions }) => [levelKey(conditions), conditions])).values()];
  const scale = scaleFor(
    'rate',
    perMillion.flatMap(({ baseline, candidate }) => [baseline.value, candidate.value]),
  );
  const rows = levels.flatMap((level) =>
    variantNames(variants).flatMap((name): Row[] => {
      const cost = variants.find((variant) => variant.name === name)?.cost;
      if (!cost?.dollarsPerMonth) return [];
      const own = worth.find(({ comparison }) => isOf(comparison, name, level));
      return [
        {
          cells: [
            conditionsWords({ ...level, variant: name }),
            rangeText(cost.dollarsPerMonth, 0),
            inScale(valueOf(perMillion, name, level), scale),
            own ? ratioWords(own.throughput.value) : absent,
            own ? ratioWords(own.cost.value) : absent,
            own ? ratioWords(own.perDollar.value) : absent,
            (own && endsWords(own.perDollar, ratioFormat(own.perDollar.value).range)) ?? absent,
            own?.tpsPer100 ? tpsText(own.tpsPer100) : absent,
          ],
        },
      ];
    }),
  );
  return {
    title: 'Cost',
    columns: [
      left('variant'),
      right('$ per month'),
      right('$ per million transactions'),
      right('TPS', 2),
      right('cost', 2),
      right('TPS per dollar'),
      right('range', 1),
      right('TPS per extra $100', 3),
    ],
    rows,
    notes: rows.length > 0 ? [sourcesNote(variants)] : [],
  };
}

function isOf({ baseline, candidate, conditions }: Comparison, name: string, level: Level): boolean {
  return candidate.variant === name && baseline.variant !== name && levelKey(conditions) === levelKey(level);
}

function valueOf(perMillion: readonly Comparison[], name: string, level: Level): number | null {
  const sides = perMillion
    .filter(({ conditions }) => levelKey(conditions) === levelKey(level))
    .flatMap(({ baseline, candidate }) => [baseline, candidate]);
  return sides.find(({ variant }) => variant === name)?.value ?? null;
}

function sourcesNote(variants: readonly ResultVariant[]): string {
  const parts = variants.flatMap(({ cost }) => cost?.parts ?? []);
  const { from, to } = datesOf(parts.map(({ date }) => date)) ?? { from: '', to: '' };
  const ranged = parts.some(({ dollarsPerMonth }) => dollarsPerMonth && dollarsPerMonth.low !== dollarsPerMonth.high);
  const volumes = variants.flatMap(({ name, cost }) => {
    const own = (cost?.parts ?? []).flatMap(({ logVolume, dollarsPerMonth }) =>
      logVolume ? (dollarsPerMonth ?? []) : [],
    );
    return own.length === 0
      ? []
      : [`Of the cost of ${name}, ${dollarsText(total(own))} is for its dedicated log volume.`];
  });
  return [
    `Cost of one on-demand server per variant, excluding the driver and Database Insights, at prices for ${variants[0]?.cost?.region ?? ''} of ${from === to ? from : `${from} to ${to}`}; result.json lists the source of each price.`,
    ...new Set(volumes),
    ...(ranged
      ? [
          'If sources disagree on a price, pgduet uses the midpoint. Both sides use the same price, so only parts that differ widen a range.',
        ]
      : []),
    'TPS, cost and TPS per dollar are changes against the baseline, of all trials together: a stall costs as much as any other second. Ranges assume blocks without rare stalls.',
  ].join(' ');
}

/**
 * How much more throughput for how much more money, such as
 * `with-dlv: +12.3% TPS over all blocks (10% to 15%) for +5.4% cost ($425 a month): per dollar +6.5 % (4.4% to 8.7%).`
 */
function worthWords({ comparison, throughput, cost, more, perDollar, tpsPer100, forLogVolume }: Worth): string {
  const { candidate, baseline, conditions } = comparison;
  const level = levelWords(conditions);
  const gained = `${timesOf(throughput, 'TPS')} over all ${unitWords(unitOf(comparison), 2)}${rangeInBrackets(throughput)}`;
  const whose = `${candidate.variant} vs ${baseline.variant}${level === '' ? '' : ` at ${level}`}`;
  const paid =
    more.value === 0
      ? 'at the same cost'
      : `for ${timesOf(cost, 'cost')}${rangeWords(cost)} (${dollarsText(sizeOf(more))} a month ${more.value > 0 ? 'more' : 'less'}): per dollar ${ratioWords(perDollar.value)}${rangeInBrackets(perDollar)}`;
  const buys =
    tpsPer100 === null
      ? ''
      : ` Each $100 a month ${forLogVolume ? 'of the dedicated log volume' : 'more'} buys ${tpsText(tpsPer100, ' TPS')}.`;
  return `Value for money, ${whose}: ${gained} ${paid}.${buys}${reservation(comparison)}`;
}

/** Whatever weakens the answer also weakens what it says about money. */
function reservation({ primary, verdict }: Worth['comparison']): string {
  if (!primary) return ' No verdict: TPS is not the deciding metric.';
  switch (verdict) {
    case null:
      return ' A check failed, so this is no verdict.';
    case 'descriptive':
      return ' No verdict: these are only the measured values.';
    case 'inconclusive':
      return ' Both TPS and TPS per dollar are inconclusive.';
    case 'better':
    case 'worse':
    case 'equivalent':
      return '';
  }
}

/** The range of a cost; empty unless sources disagree on a price by enough to show. */
function rangeWords({ value, low, high }: Span): string {
  const { size, range } = ratioFormat(value);
  return low === null || high === null || size(low) === size(high) ? '' : `, ${range(low, high)},`;
}

/** Such as `+12.3% TPS`, or `53 times the TPS`. */
function timesOf({ value }: Span, what: string): string {
  return `${ratioWords(value)} ${ratioFormat(value).isMultiple ? 'the ' : ''}${what}`;
}

function rangeInBrackets(span: Span): string {
  return inBrackets(span, ratioFormat(span.value).range);
}

function sizeOf({ value, low, high }: Span): { low: number; high: number } {
  const sizes = [low ?? value, high ?? value].map(Math.abs);
  return { low: Math.min(...sizes), high: Math.max(...sizes) };
}

/** Both ends; null without them. */
function endsWords({ low, high }: Span, words: (low: number, high: number) => string): string | null {
  return low === null || high === null ? null : words(low, high);
}

function inBrackets(span: Span, words: (low: number, high: number) => string): string {
  const ends = endsWords(span, words);
  return ends === null ? '' : ` (${ends})`;
}

function tpsText(span: Span, unit = ''): string {
  const scale = scaleFor('rate', [span.value, span.low, span.high]);
  const range = inBrackets(span, (low, high) => `${inScale(low, scale)} to ${inScale(high, scale)}`);
  return `${inScale(span.value, scale)}${unit}${range}`;
}
