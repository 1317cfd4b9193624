import type { Metric } from '../../runner/contract/metric.ts';
import { catalogue } from '../../runner/metrics/catalogue.ts';
import { entry, type ReferencePage, sentence } from './page.ts';

export function metricsPage(): ReferencePage {
  return {
    file: 'docs/reference/metrics.md',
    title: 'Reference: every metric',
    source: 'runner/metrics/catalogue.ts',
    introduction:
      'Each metric with its unit, which direction is better, how pgduet compares it, and where it comes from. Unit 1 means a\n' +
      'count or a share. "Per transaction": if trials end after a time, pgduet divides totals that grow with the work by the\n' +
      'number of transactions before it compares them. A name with a placeholder, such as `volumes.<volume>.writes`, is a\n' +
      'family with members such as `volumes.data.writes`. [What may decide](../your-own-experiment.md#what-may-decide) says\n' +
      'how to declare a metric.\n\n' +
      'The volumes are those of a local run: `data`, and `log` if WAL has its own. Writes appear too high when several\n' +
      'writers share a flush, which Linux counts as a write. If something reset the server’s counters or restarted it\n' +
      'during a trial, the values that it counts are null, and the trial says so.',
    body: catalogue.map(entryOf).join('\n'),
  };
}

function entryOf(metric: Metric): string {
  const { name, unit, better, source, declarable = false } = metric;
  const facts = [unit, `${better} is better`, howCompared(metric), declarable ? '**may decide**' : ''];
  return entry(name, facts, [sentence(source)]);
}

function howCompared({ compared }: Metric): string {
  switch (compared) {
    case 'ratio':
      return 'compared as a ratio';
    case 'difference':
      return 'compared as a difference';
    case 'per-transaction':
      return 'compared as a ratio, per transaction';
    case 'totals':
      return 'compared as the ratio of the sums';
    case null:
      return 'not compared';
  }
}
