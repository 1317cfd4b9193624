import { tinyExperiment } from '../local/experiment.ts';

/** The same trials, on what an account claims to have. */
export function deployedExperiment(version: string): object {
  const { name, question, workload, protocol } = tinyExperiment;
  return {
    name,
    question,
    workload,
    protocol,
    baseline: 'one',
    common: {
      class: 'db.r6g.large',
      storage: { type: 'io2', sizeGib: 200, iops: 3000 },
      dedicatedLogVolume: true,
      engine: { version },
    },
    variants: { one: {}, two: {} },
    profiles: { full: {} },
  };
}
