import { assembleResult } from '../../../runner/analysis/assemble.ts';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import type { RecordedSample } from './changed-sample.ts';
import { recordSample, type SampleOptions, seriesInMemory } from './sample-result.ts';

/**
 * What a sample run with several servers of each variant leaves: each pair of servers measured what a sample of a seed of its
 * own measures.
 *
 * @param factors for each replica, how many times the candidates' throughput is what `variants` says: what its hosts do
 */
export function recordReplicas(factors: readonly number[], options: SampleOptions = {}): RecordedSample {
  const [baseline = 'a', candidate = 'b'] = Object.keys(options.variants ?? {});
  const variants = options.variants ?? { [baseline]: 1, [candidate]: 1.3 };
  const samples = factors.map((factor, index) => {
    const own = Object.entries(variants).map(([name, times], place) => [name, place === 0 ? times : times * factor]);
    return recordSample({ ...options, variants: Object.fromEntries(own) as typeof variants, seed: index + 1 });
  });
  const [first] = samples;
  if (!first) throw new Error('a sample of no replica');
  const recorded: RecordedSample = { ...first, trials: [], rows: new Map() };
  for (const [index, { trials, rows }] of samples.entries()) {
    const replica = index + 1;
    for (const trial of trials) {
      const id = `${trial.id}-replica-${replica}`;
      const series = rows.get(trial.id);
      if (series) recorded.rows.set(id, series);
      recorded.trials.push({ ...trial, id, conditions: { replica, ...trial.conditions } });
    }
  }
  const { definition } = recorded.run.experiment;
  definition.protocol.replicas = factors.length;
  // Replicas are deployed, never local.
  for (const variant of Object.values(definition.variants)) variant.storage = { type: 'io2', sizeGib: 200, iops: 3000 };
  recorded.run.variants = first.run.variants.flatMap((record) =>
    factors.map((_, index) => ({ ...record, replica: index + 1 })),
  );
  return recorded;
}

export async function replicatedRun(factors: readonly number[], options: SampleOptions = {}): Promise<OpenedResult> {
  const { run, trials, rows, endedAt } = recordReplicas(factors, options);
  const series = seriesInMemory(rows);
  return { result: await assembleResult({ run, steps: [], trials }, { endedAt }, series), series };
}
