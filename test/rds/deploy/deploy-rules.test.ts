import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { deployable } from '../../../runner/rds/deploy/deployable.ts';
import { experimentNames } from '../../../runner/experiment/file/find.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import type { Experiment } from '../../../runner/contract/experiment/schema.ts';

const project = path.resolve(import.meta.dirname, '../../..');
const { experiment } = loadExperiment('test/fixtures/experiments/deployments.yaml', { folder: project });

function changed(change: (variant: Experiment['variants'][string]) => Experiment['variants'][string]): Experiment {
  const { single, ...others } = experiment.variants;
  if (!single) throw new Error('The fixture has changed.');
  return { ...experiment, variants: { single: change(single), ...others } };
}

test('every shipped experiment can be deployed, or says how it is run instead', () => {
  const refusals = experimentNames(project).map((name) => {
    const loaded = loadExperiment(name, { folder: project });
    try {
      deployable(loaded.experiment, loaded.profile);
      return 'deployable';
    } catch (error) {
      return (error as Error).message.includes(`npx --no-install pgduet load-run ${name}.`);
    }
  });
  expect(new Set(refusals)).toEqual(new Set(['deployable', true]));
});

test.each(['c7g.2xlarge', 'm8gd.large', 't4g.medium'])(
  'HammerDB, which is published for Intel and AMD, is not taken to a driver with Graviton processors: %s',
  (type) => {
    const { experiment: tprocc } = loadExperiment('dlv-tprocc-multi-az', { folder: project });
    const on = (driver: string, archive?: string) => () =>
      deployable(
        { ...tprocc, driver: { ...tprocc.driver, class: driver }, workload: { ...tprocc.workload, archive } },
        'full',
      );
    expect(on(type)).toThrow(
      `driver.class is ${type}, with Graviton processors: HammerDB is published for Intel and AMD`,
    );
    expect(on(type, 'HammerDB-arm.tar.gz')).not.toThrow();
    for (const other of ['c7i.2xlarge', 'c6a.large', 'g4dn.xlarge']) expect(on(other)).not.toThrow();
  },
);

test('sysbench, of which Amazon Linux has no package, is not taken to a driver', () => {
  const tool = { tool: 'sysbench', script: 'oltp_insert', tables: 1, tableSize: 1, clients: 1, durationSeconds: 1 };
  const workload = { ...tool, queryMode: 'prepared', distribution: 'special' };
  expect(() => deployable({ ...experiment, workload }, 'full')).toThrow('workload.tool is sysbench: ');
});

describe('what RDS must know', () => {
  test('is completed with the major version and the words of RDS', () => {
    const { variants } = deployable(experiment, 'full');
    expect(variants['single']?.engine).toMatchObject({ version: '16.15', major: 16 });
    expect(Object.values(variants['single']?.engine.parameters ?? {}).every((v) => typeof v === 'string')).toBe(true);
  });

  test('is asked for where it is missing, all at once', () => {
    const bare = changed((variant) => ({ ...variant, class: undefined }));
    const problem = { ...bare, backups: { ...bare.backups, retentionDays: 0 } };
    expect(() => deployable(problem, 'full')).toThrow(
      /variants\.single needs class[^]*retentionDays is 0: multi-cluster/,
    );
  });
});
