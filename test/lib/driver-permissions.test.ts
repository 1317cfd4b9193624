import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { experimentStack, project } from '../helpers/synthesize.ts';

/** Where the runner calls AWS while it is on a driver. */
const folders = ['runner/places/deployed', 'runner/aws', 'runner/probes'];

function crossedOver(experiment: Experiment): Experiment {
  return { ...experiment, protocol: { ...experiment.protocol, crossover: true } };
}

it('the driver may do everything that its runner does', () => {
  const called = folders
    .flatMap((folder) => readdirSync(path.join(project, folder)).map((file) => path.join(project, folder, file)))
    // Folders below these, such as the doctor's, hold what never runs there.
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/callAws\(\s*'([a-z0-9]+:[A-Za-z0-9]+)'/g)])
    .map(([, action]) => action);
  expect(called).toContain('rds:FailoverDBCluster');
  const stacks = [
    experimentStack(`${project}/test/fixtures/experiments/deployments.yaml`),
    experimentStack('dlv-pgbench', { change: crossedOver }),
  ];
  const allowed = stacks.flatMap(({ driverPermissions }) => driverPermissions.map(({ action }) => action));
  expect(allowed).toEqual(expect.arrayContaining(called));
});

it('the driver may modify instances only where log volumes change places', () => {
  const modifying = (change?: typeof crossedOver) =>
    experimentStack('dlv-pgbench', { change })
      .driverPermissions.filter(({ action }) => action === 'rds:ModifyDBInstance')
      .map(({ resource }) => resource.split(':').at(-1));
  expect(modifying(crossedOver)).toEqual(['alice-dlv-pgbench-without-dlv', 'alice-dlv-pgbench-with-dlv']);
  expect(modifying()).toEqual([]);
});
