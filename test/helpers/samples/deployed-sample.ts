import { defaultCrossovers } from '../../../runner/contract/experiment/protocol.ts';
import { keptPrices } from '../../../runner/rds/prices/kept-prices.ts';
import { variantCosts } from '../../../runner/rds/prices/estimate.ts';
import { deployable } from '../../../runner/rds/deploy/deployable.ts';
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

/** Exchanges the log volumes of a recorded sample between its blocks. */
export function crossOver({ run, trials }: RecordedSample, exchanges: number = defaultCrossovers): void {
  const { protocol } = run.experiment.definition;
  protocol.crossover = { exchanges };
  for (const trial of trials) trial.period = Math.ceil((trial.block * 2 * exchanges) / protocol.blocks);
}

/** Makes a recorded sample one of instances of RDS whose costs are known, each with this storage. */
export function deployWithCosts(
  recorded: RecordedSample,
  storage: Record<string, { sizeGib: number; iops: number }> = {},
  prices = keptPrices('us-east-1'),
): void {
  deploy(recorded);
  const { definition } = recorded.run.experiment;
  for (const [name, variant] of Object.entries(definition.variants)) {
    Object.assign(variant, { class: 'db.r6g.2xlarge', engine: { ...variant.engine, version: '16.15' } });
    Object.assign(variant.storage, { type: 'io2', sizeGib: 1024, iops: 10_000, ...storage[name] });
    delete (variant.storage as { logVolumeIops?: number }).logVolumeIops;
  }
  // RDS does not take all the parameters that the sample sets, and they cost nothing.
  const variants = Object.entries(definition.variants).map(([name, { engine, ...variant }]) => [
    name,
    { ...variant, engine: { ...engine, parameters: {} } },
  ]);
  const plain = { ...definition, variants: Object.fromEntries(variants) as typeof definition.variants };
  const costs = variantCosts(deployable(plain, 'full'), prices);
  for (const variant of recorded.run.variants) {
    const cost = costs.get(variant.name);
    if (cost) variant.cost = cost;
    const { sizeGib, iops } = definition.variants[variant.name]?.storage as { sizeGib: number; iops: number };
    if (variant.deployed) {
      variant.deployed.class = 'db.r6g.2xlarge';
      variant.deployed.storage = { ...variant.deployed.storage, sizeGib, iops };
    }
  }
}
