import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepInputs } from '../../runner/run/inputs.ts';
import { hashFiles } from '../../runner/workloads/loaded-with.ts';
import { fakeRun, temporaryFolder } from '../helpers/fakes/fake-run.ts';

/** A run whose workload names these files, as they are when it is called. */
function runWith(root: string, workload: object, files: readonly string[]) {
  const file = path.join(root, 'experiments/made-up.yaml');
  const { execution, folder } = fakeRun({
    workload,
    file,
    driver: { tool: { name: 'pgbench', version: '16', files: hashFiles(files, path.dirname(file)) } },
  });
  return { folder, keep: () => keepInputs(execution, folder) };
}

function projectWith(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

describe('the inputs of a run', () => {
  const script = { scripts: [{ file: '../scripts/mix.sql' }] };

  it('lie in its folder as they lay to each other, with the plan', async () => {
    const root = projectWith({ 'scripts/mix.sql': 'SELECT 1;' });
    const { folder, keep } = runWith(root, script, ['../scripts/mix.sql']);
    const { scriptFolder, experimentFile } = await keep();
    expect(experimentFile).toBe('inputs/files/experiments/made-up.yaml');
    expect(readFileSync(path.join(folder, experimentFile), 'utf8')).toBe('name: made-up\n');
    expect(readFileSync(path.join(scriptFolder, '../scripts/mix.sql'), 'utf8')).toBe('SELECT 1;');
    expect(JSON.parse(readFileSync(path.join(folder, 'inputs/plan.json'), 'utf8'))).toHaveProperty('steps');
  });

  it('are those of the first start, whatever became of the files', async () => {
    const root = projectWith({ 'scripts/mix.sql': 'SELECT 1;' });
    const { keep } = runWith(root, script, ['../scripts/mix.sql']);
    await keep();
    writeFileSync(path.join(root, 'scripts/mix.sql'), 'SELECT 2;');
    expect(readFileSync(path.join((await keep()).scriptFolder, '../scripts/mix.sql'), 'utf8')).toBe('SELECT 1;');
  });

  it('are refused if a script was changed between the plan and the copy, or the copy later', async () => {
    const root = projectWith({ 'scripts/mix.sql': 'SELECT 1;' });
    const late = runWith(root, script, ['../scripts/mix.sql']);
    writeFileSync(path.join(root, 'scripts/mix.sql'), 'SELECT 2;');
    await expect(late.keep()).rejects.toThrow(
      /mix\.sql was changed after the run was prepared \(SHA-256 \w{64} then, \w{64} now\)/,
    );

    const kept = await runWith(root, script, ['../scripts/mix.sql']).keep();
    await kept.requireUnchanged('trial');
    writeFileSync(path.join(kept.scriptFolder, '../scripts/mix.sql'), 'SELECT 3;');
    await expect(kept.requireUnchanged('trial')).rejects.toThrow('was changed');
  });

  it('tell of a script that was changed while a trial ran, also if it was brought back', async () => {
    const root = projectWith({ 'scripts/mix.sql': 'SELECT 1;' });
    const kept = await runWith(root, script, ['../scripts/mix.sql']).keep();
    await kept.requireUnchanged('trial');
    await kept.requireUntouched();
    for (const text of ['SELECT 3;', 'SELECT 1;'])
      writeFileSync(path.join(kept.scriptFolder, '../scripts/mix.sql'), text);
    await expect(kept.requireUntouched()).rejects.toThrow(/mix\.sql changed during the trial/);
    await kept.requireUnchanged('trial');
    await kept.requireUntouched();
  });

  it('are untouched by a link to a script and by its permissions, and not by an edit whose time was set back', async () => {
    const root = projectWith({ 'scripts/mix.sql': 'SELECT 1;' });
    const kept = await runWith(root, script, ['../scripts/mix.sql']).keep();
    const file = path.join(kept.scriptFolder, '../scripts/mix.sql');
    const wholeSeconds = new Date('2026-11-21T12:00:00Z');
    utimesSync(file, wholeSeconds, wholeSeconds);
    await kept.requireUnchanged('trial');
    linkSync(file, `${file}.backup`);
    chmodSync(file, 0o400);
    await kept.requireUntouched();
    chmodSync(file, 0o600);
    writeFileSync(file, 'SELECT 2;');
    utimesSync(file, wholeSeconds, wholeSeconds);
    await expect(kept.requireUntouched()).rejects.toThrow(/mix\.sql changed during the trial/);
  });

  it('are refused before a trial if a file was changed that both loads the data and resets it', async () => {
    const root = projectWith({ 'experiments/both.sql': 'SELECT 1;', 'experiments/mix.sql': 'SELECT 1;' });
    const load = { sql: ['both.sql'], reset: ['both.sql'] };
    const own = { tool: 'own-data', scale: undefined, load, scripts: [{ file: 'mix.sql' }] };
    const kept = await runWith(root, own, ['both.sql', 'mix.sql']).keep();
    await kept.requireUnchanged('load');
    writeFileSync(path.join(kept.scriptFolder, 'both.sql'), 'SELECT 2;');
    await expect(kept.requireUnchanged('trial')).rejects.toThrow('both.sql was changed');
  });

  it('are refused in a trial if a file was changed that the load names, and that a reset may read', async () => {
    const files = ['made.sql', 'rows.csv', 'reset.sql', 'mix.sql'];
    const root = projectWith(Object.fromEntries(files.map((name) => [`experiments/${name}`, 'SELECT 1;'])));
    const load = { sql: ['made.sql'], files: ['rows.csv'], reset: ['reset.sql'] };
    const own = { tool: 'own-data', scale: undefined, load, scripts: [{ file: 'mix.sql' }] };
    const kept = await runWith(root, own, files).keep();
    await kept.requireUnchanged('trial');
    writeFileSync(path.join(kept.scriptFolder, 'rows.csv'), '1');
    await expect(kept.requireUntouched()).rejects.toThrow(/rows\.csv changed during the trial/);
    await expect(kept.requireUnchanged('trial')).rejects.toThrow('rows.csv was changed');
  });

  it('are for nobody else if the file is not, also where it is large', async () => {
    const root = projectWith({ 'experiments/mix.sql': 'SELECT 1;', 'experiments/app.dump': 'PGDMP', 'big.dump': '' });
    chmodSync(path.join(root, 'experiments/app.dump'), 0o600);
    chmodSync(path.join(root, 'big.dump'), 0o600);
    truncateSync(path.join(root, 'big.dump'), 17 * 2 ** 20);
    const load = { dump: 'app.dump', files: ['../big.dump'] };
    const own = { tool: 'own-data', scale: undefined, load, scripts: [{ file: 'mix.sql' }] };
    const { scriptFolder } = await runWith(root, own, ['app.dump', '../big.dump', 'mix.sql']).keep();
    const modeOf = (name: string): number => statSync(path.join(scriptFolder, name)).mode & 0o777;
    expect(modeOf('app.dump')).toBe(0o600);
    expect(modeOf('../big.dump')).toBe(0o600);
    expect(modeOf('mix.sql')).toBe(modeOf('made-up.yaml'));
  });

  it('hold no copy of a large dump, which is refused before the load if it is another by then', async () => {
    const root = projectWith({ 'experiments/app.dump': '' });
    const dump = path.join(root, 'experiments/app.dump');
    truncateSync(dump, 17 * 2 ** 20);
    const own = { tool: 'own-data', scale: undefined, load: { dump: 'app.dump' }, scripts: [{ file: 'mix.sql' }] };
    writeFileSync(path.join(root, 'experiments/mix.sql'), 'SELECT 1;');
    const kept = await runWith(root, own, ['app.dump', 'mix.sql']).keep();
    const copy = path.join(kept.scriptFolder, 'app.dump');
    expect(existsSync(copy) && lstatSync(copy).isSymbolicLink()).toBe(true);
    await kept.requireUnchanged('load');
    truncateSync(dump, 18 * 2 ** 20);
    await kept.requireUnchanged('trial');
    await expect(kept.requireUnchanged('load')).rejects.toThrow('app.dump was changed');
  });
});
