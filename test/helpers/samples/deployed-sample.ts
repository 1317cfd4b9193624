import type { RecordedSample } from './changed-sample.ts';

/** Makes a recorded sample one of two instances of RDS that are as declared. */
export function deploy({ run }: RecordedSample): void {
  for (const { storage } of Object.values(run.experiment.definition.variants)) {
    Object.assign(storage, { type: 'io2', sizeGib: 1000, iops: 10_000 });
  }
  run.place.kind = 'deployed';
  run.place.caveats = [];
  for (const variant of run.variants) {
    variant.deployed = {
      kind: 'instance' as const,
      identifier: variant.name,
      resourceId: null,
      endpoint: null,
      class: 'db.r6g.large',
      engineVersion: '16.15',
      storage: { type: 'io2', sizeGib: 1000, iops: 10_000, throughputMibps: null },
      dedicatedLogVolume: run.experiment.definition.variants[variant.name]?.dedicatedLogVolume === true,
      multiAz: false,
      availabilityZone: 'us-east-1a',
      standbyZones: [],
      parameterGroup: null,
      backupRetentionDays: 0,
      monitoringIntervalSeconds: 1,
    };
  }
}

/** Exchanges the log volumes of a recorded sample after half of its blocks. */
export function crossOver({ run, trials }: RecordedSample): void {
  const { protocol } = run.experiment.definition;
  protocol.crossover = true;
  for (const trial of trials) trial.period = trial.block > protocol.blocks / 2 ? 2 : 1;
}
