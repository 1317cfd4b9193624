import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bundledRunner } from '../helpers/processes/bundled-runner.ts';
import { project } from '../helpers/synthesize.ts';
import { oneBlock, onFolders, tinyRun } from '../helpers/processes/tiny-run.ts';

it('the runner that a driver gets carries out a whole run, as one file and the kept prices', async () => {
  const program = path.join(bundledRunner(), 'pgduet.mjs');
  expect(readdirSync(path.join(path.dirname(program), 'prices'))).toEqual(readdirSync(path.join(project, 'prices')));
  const run = tinyRun();
  run.define(oneBlock);
  const { exitCode, stderr } = await run.runAs({ program }, 'load-run', 'tiny', ...onFolders).ended;
  expect(stderr).not.toMatch(/is not defined|Cannot find/);
  expect(exitCode).toBe(0);
  expect(run.result()).toMatchObject({ complete: true });
  run.expectNothingLeft();
});
