import type { Span, Worth } from '../../analysis/worth.ts';
import { levelWords } from '../../contract/trial.ts';
import { dollarsText } from './dollars-text.ts';
import { inScale, percent, percentRange, scaleFor, signedPercent } from './quantities.ts';

/** This much more throughput for this much more money, such as `with-dlv: +12.3 % TPS (10 to 15 %) for +5.4 % cost ($425 a month): per dollar +6.5 % (4.4 to 8.7 %).` */
export function worthWords({ comparison, throughput, cost, more, perDollar, tpsPer100, forLogVolume }: Worth): string {
  const { candidate, baseline, conditions } = comparison;
  const level = levelWords(conditions);
  const gained = `${signedPercent(throughput.value)} TPS${inBrackets(throughput, percentRange)}`;
  const whose = `${candidate.variant} against ${baseline.variant}${level === '' ? '' : ` at ${level}`}`;
  const paid =
    more.value === 0
      ? 'for the same money'
      : `for ${signedPercent(cost.value)} cost${rangeWords(cost)} (${dollarsText(sizeOf(more))} a month ${more.value > 0 ? 'more' : 'less'}): per dollar ${signedPercent(perDollar.value)}${inBrackets(perDollar, percentRange)}`;
  const buys =
    tpsPer100 === null
      ? ''
      : ` Each $100 a month ${forLogVolume ? 'of the dedicated log volume' : 'more'} buys ${tpsText(tpsPer100)}.`;
  return `For the money, ${whose}: ${gained} ${paid}.${buys}${reservation(comparison)}`;
}

/** What takes from the answer takes from its worth. */
function reservation({ primary, verdict }: Worth['comparison']): string {
  if (!primary) return ' This describes: TPS was not declared to decide here.';
  switch (verdict) {
    case null:
      return ' A check failed, so this is only what was seen.';
    case 'descriptive':
      return ' Nothing is claimed: this is only what was seen.';
    case 'inconclusive':
      return ' The measurements settle neither.';
    case 'better':
    case 'worse':
    case 'equivalent':
      return '';
  }
}

/** The range of a cost, if sources disagree on a price so much that it shows. */
function rangeWords({ low, high }: Span): string {
  return low === null || high === null || percent(low) === percent(high) ? '' : `, ${percentRange(low, high)},`;
}

function sizeOf({ value, low, high }: Span): { low: number; high: number } {
  const sizes = [low ?? value, high ?? value].map(Math.abs);
  return { low: Math.min(...sizes), high: Math.max(...sizes) };
}

function inBrackets({ low, high }: Span, words: (low: number, high: number) => string): string {
  return low === null || high === null ? '' : ` (${words(low, high)})`;
}

function tpsText(span: Span): string {
  const scale = scaleFor('rate', [span.value, span.low, span.high]);
  const range = inBrackets(span, (low, high) => `${inScale(low, scale)} to ${inScale(high, scale)}`);
  return `${inScale(span.value, scale)} TPS${range}`;
}
