import { format, resolveConfig } from 'prettier';
import type { Metric } from '../runner/contract/metric.ts';
import { catalogue } from '../runner/metrics/catalogue.ts';

const [begin, end] = ['<!-- metrics: npm run generate -->', '<!-- /metrics -->'];

/** Returns the document with a new table of all metrics between its two marks. The table is made from the catalogue. */
export async function replaceMetricsTable(document: string): Promise<string> {
  const [before] = document.split(begin);
  const [, after] = document.split(end);
  if (before === undefined || after === undefined) throw new Error(`there is no ${begin} with its ${end}`);
  const text = `${before}${begin}\n\n${table()}\n\n${end}${after}`;
  return format(text, { ...(await resolveConfig('docs/results.md')), parser: 'markdown' });
}

function table(): string {
  const rows = catalogue.map((metric) => {
    const { name, unit, better, source, declarable = false } = metric;
    return `| \`${name}\` | ${unit} | ${better} | ${howCompared(metric)} | ${declarable ? 'yes' : ''} | ${source} |`;
  });
  return [
    '| metric | unit | better | compared | may decide | source |',
    '| :-- | :-- | :-- | :-- | :-- | :-- |',
    ...rows,
  ].join('\n');
}

function howCompared({ compared }: Metric): string {
  switch (compared) {
    case 'ratio':
      return 'as a ratio';
    case 'difference':
      return 'as a difference';
    case 'per-transaction':
      return 'as a ratio, per transaction';
    case 'totals':
      return 'as the ratio of the sums';
    case null:
      return '';
  }
}
