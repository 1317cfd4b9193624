import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runChecked } from '../../../runner/process/run-command.ts';
import { standInArchive } from '../../helpers/hammerdb/stand-in.ts';
import { type Account, project } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { measureSmoke } from '../account/measure-smoke.ts';

let account: Account;
let folder: string;
beforeAll(async () => {
  account = await openBootstrappedAccount();
  folder = mkdtempSync(path.join(account.folder, 'experiments-'));
  await standInArchive(path.join(folder, archive), (command) => runChecked(command));
});
afterAll(() => account.close());

/** What the user supplies where the driver has no path to the internet: here, it replays what HammerDB has printed. */
const archive = 'HammerDB-stand-in.tar.gz';

/** The shipped experiment, with the archive beside it. */
function withArchive(name: string): string {
  const text = readFileSync(path.join(project, 'experiments', `${name}.yaml`), 'utf8');
  const own = path.join(folder, name);
  mkdirSync(own, { recursive: true });
  copyFileSync(path.join(folder, archive), path.join(own, archive));
  const file = path.join(own, `${name}.yaml`);
  writeFileSync(file, text.replace('  tool: hammerdb\n', `  tool: hammerdb\n  archive: ${archive}\n`));
  return file;
}

it('dlv-tprocc-multi-az is deployed in its smoke profile with the archive of HammerDB, measured, and destroyed', async () => {
  const { result } = await measureSmoke(account, withArchive('dlv-tprocc-multi-az'));
  expect(result.complete).toBe(true);
  expect(result.trials.map(({ conditions }) => conditions['users']).sort()).toEqual([1, 1, 2, 2]);
  for (const { state, measures } of result.trials) {
    expect(state).toBe('finished');
    expect(measures['nopm']).toBeGreaterThan(0);
  }
  expect(result.tool?.files).toEqual({ [archive]: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  expect(result.ladders?.map(({ axis, throughput }) => [axis, throughput])).toEqual([['users', 'nopm']]);
});

it('deployment-options is deployed in its smoke profile, restored and rebooted before every trial, and destroyed', async () => {
  const { result, reboots } = await measureSmoke(account, withArchive('deployment-options'));
  expect(result.complete).toBe(true);
  expect(result.trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished']);
  // One more may have brought the primary of the Multi-AZ instance to the driver's zone.
  expect(reboots).toBeGreaterThanOrEqual(3);
  for (const { resetSteps } of result.trials) {
    expect(resetSteps?.map(({ step }) => step)).toEqual(['restore', 'restart', 'checkpoint']);
  }
});
