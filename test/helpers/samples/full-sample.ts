import { warningsOf } from '../../../runner/contract/warnings.ts';
import { assembleResult } from '../../../runner/analysis/assemble.ts';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import type { Explanation } from '../../../runner/contract/explanation.ts';
import { isFamily, memberName, scriptMetric } from '../../../runner/contract/metric.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { catalogue } from '../../../runner/metrics/catalogue.ts';
import { deployWithCosts } from './deployed-sample.ts';
import { recordSample, seriesInMemory } from './sample-result.ts';

const statement = {
  queryId: '1',
  text: 'UPDATE it SET i = $1',
  calls: 7,
  totalTime: 0.5,
  meanTime: 0.07,
  rows: 7,
  blocksRead: 1,
  blocksDirtied: 2,
  walBytes: 900,
};

/**
 * Two instances of RDS at several levels, of which every source told everything: each section of the report has something to show.
 *
 * @param blocks by default, enough for verdicts at two levels
 */
export async function fullRun(levels: readonly number[] = [2, 4], blocks = 10): Promise<OpenedResult> {
  const recorded = recordSample({ blocks });
  deployWithCosts(recorded);
  const { run, trials, endedAt } = recorded;
  run.warnings = warningsOf(
    'measurement',
    [3, 4, 5, 6].map((count) => `${count} sessions of others were there.`),
  );
  run.experiment.definition.workload['clients'] = [...levels];
  const measures = {
    ...Object.fromEntries(catalogue.map((metric) => [isFamily(metric) ? memberName(metric, 'one') : metric.name, 1])),
    // Scripts are compared with each other, so there are two.
    [scriptMetric('latency.average', 'two')]: 1,
  };
  const facts = { statements: [statement], absent: { 'some source': 'nobody gives it' } };
  const climbed = trials.flatMap((trial): Trial[] =>
    levels.map((clients) => ({
      ...trial,
      id: `${trial.id}-${clients}`,
      conditions: { clients, variant: trial.conditions.variant },
      measures: { ...measures, ...trial.measures },
      facts: { ...trial.facts, ...facts, plans: { 1: `Update on it 1\n  ->  ${trial.conditions.variant} 2` } },
    })),
  );
  const series = seriesInMemory(new Map());
  const steps = [{ step: 'create' as const, startedAt: run.startedAt, endedAt: run.startedAt }];
  const result = await assembleResult({ run, steps, trials: climbed }, { endedAt }, series);
  return { result: { ...result, explanations: [explanationOf(run.variants.map(({ name }) => name))] }, series };
}

function explanationOf([baseline = '', candidate = '']: string[]): Explanation {
  const interval = { low: -0.0103, high: -0.0088, level: 0.96875 };
  const flush = { baseline: 0.0163, candidate: 0.0067, change: -0.0096, interval };
  return {
    baseline,
    candidate,
    conditions: { clients: 2 },
    slower: baseline,
    pairs: 6,
    time: [{ kind: 'flush', title: 'waits for flush', ...flush, share: 1 }],
    mechanisms: [
      {
        name: 'slow-flush',
        title: 'Each flush takes longer',
        standing: 'observed',
        role: 'cause',
        size: 0.0021,
        settings: [{ name: 'commit_delay', baseline: '0', candidate: '30000' }],
        kind: 'flush',
        links: [
          {
            metric: 'wal.meanSyncTime',
            unit: 's',
            claim: 'each WAL flush takes longer',
            changedBy: 'ratio',
            ...flush,
            agreeing: 6,
            pairs: 6,
            standing: 'holds',
          },
        ],
        sources: ['https://www.brendangregg.com/usemethod.html'],
      },
    ],
  };
}
