import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { experimentStack, project } from '../helpers/synthesize.ts';

/** Where the runner calls AWS while it is on a driver. */
const folders = ['runner/places/deployed', 'runner/aws', 'runner/checks'];

it('the driver may do everything that its runner does', () => {
  const called = folders
    .flatMap((folder) => readdirSync(path.join(project, folder)).map((file) => path.join(project, folder, file)))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/callAws\(\s*'([a-z0-9]+:[A-Za-z0-9]+)'/g)])
    .map(([, action]) => action);
  expect(called).toContain('rds:FailoverDBCluster');
  const stack = experimentStack(`${project}/test/fixtures/experiments/deployments.yaml`);
  expect(stack.driverPermissions.map(({ action }) => action)).toEqual(expect.arrayContaining(called));
});
