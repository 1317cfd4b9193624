import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { validateLoad } from '../../../runner/places/local/room.ts';
import { folderWithExperiment, smallExperiment } from '../../helpers/samples/experiment-file.ts';

const accepts = 'pgbench: error: connection to server on socket "/dev/null/.s.PGSQL.5432" failed: Not a directory';

/** A folder with a pgbench that says this of every script, by default that it takes it; it may run as another user. */
function pgbenchOf(version: string, says = accepts): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgbench-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const text = `[ "$1" = --version ] && echo 'pgbench (PostgreSQL) ${version}' || { echo '${says}' >&2; exit 1; }`;
  writeFileSync(path.join(folder, 'pgbench'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return folder;
}

/** What is said of a load whose servers have version 16. */
async function validated(installed: readonly string[], isElsewhere: boolean, scripts: object[] = [{ file: 'a.sql' }]) {
  const small = smallExperiment();
  const folder = folderWithExperiment('small', { ...small, workload: { ...small.workload, scripts } });
  const scriptFolder = path.join(folder, 'experiments');
  writeFileSync(path.join(scriptFolder, 'a.sql'), 'SELECT 1;\n');
  const { experiment } = loadExperiment('small', { folder });
  const versioned = installed.map((version) => pgbenchOf(version));
  const { signal } = new AbortController();
  return validateLoad(experiment, { environment: { PATH: '' }, versioned, scriptFolder, signal, isElsewhere });
}

test('the pgbench of the run’s own version has the last word', async () => {
  expect(await validated(['16.14'], true)).toEqual({ version: '16.14', note: null });
  expect(await validated(['17.2'], false)).toEqual({ version: '17.2', note: null });
});

test('that scripts were not checked is said, and why, and who will', async () => {
  expect(await validated([], false)).toEqual({
    version: null,
    note: 'Scripts of the workload are not checked: there is no pgbench here. A run checks them before it loads data.',
  });
  expect(await validated([], true, [{ builtin: 'select-only' }])).toEqual({ version: null, note: null });
});

test('what a pgbench of another version than the run’s accepts is no last word', async () => {
  const words = (version: string): string =>
    `Scripts of the workload are accepted by the pgbench of PostgreSQL ${version} here, but the run’s has another version. The driver checks them before it loads data.`;
  for (const version of ['15.14', '17.2']) {
    expect(await validated([version], true)).toEqual({ version, note: words(version) });
  }
});

test('what a pgbench here refuses, that of a built PostgreSQL may accept', async () => {
  const { workload, ...small } = smallExperiment();
  const folder = folderWithExperiment('small', {
    ...small,
    common: { storage: { type: 'local' }, engine: { source: { git: 'none' } } },
    workload: { ...workload, scripts: [{ file: 'a.sql' }] },
  });
  const scriptFolder = path.join(folder, 'experiments');
  writeFileSync(path.join(scriptFolder, 'a.sql'), 'SELECT 1;\n');
  const { experiment } = loadExperiment('small', { folder });
  const where = { environment: { PATH: '' }, scriptFolder, signal: new AbortController().signal, isElsewhere: false };
  const validatedBy = (pgbench: string) => validateLoad(experiment, { ...where, versioned: [pgbench] });
  expect(await validatedBy(pgbenchOf('16.14'))).toEqual({ version: '16.14', note: null });
  const refused = await validatedBy(pgbenchOf('16.14', 'pgbench: error: a.sql:1: syntax error'));
  expect(refused.version).toBeNull();
  expect(refused.note).toContain('refused by the pgbench of PostgreSQL 16.14 here');
});
