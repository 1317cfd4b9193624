import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadRunCommand } from '../../runner/cli/actions/load-run-command.ts';
import { ownCommand } from '../../runner/contract/own-command.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { smallExperiment } from '../helpers/samples/experiment-file.ts';

const secret = '\\never_seen_by_anybody';
let root: string;
let project: string;
beforeEach(() => {
  root = realpathSync(temporaryFolder());
  chmodSync(root, 0o700);
  project = path.join(root, 'project');
  for (const [name, text] of Object.entries({
    'secret/id_rsa': secret,
    'project/experiments/made.sql': 'SELECT 1;\n',
    'project/experiments/mix.sql': 'SELECT 1;\n',
  })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text, { mode: name.startsWith('secret') ? 0o600 : 0o644 });
  }
});

const load = { sql: ['made.sql'] };
const scripts = [{ file: 'mix.sql' }];
const own = { tool: 'own-data', load, scripts, clients: 4, threads: 2, durationSeconds: 10 };
const hammerdb = { tool: 'hammerdb', warehouses: 8, users: 4, durationMinutes: 1, rampUpMinutes: 1 };

function plan(workload: object, ...options: string[]) {
  const common = { storage: { type: 'local' } };
  const variants = { a: {}, b: { engine: { parameters: { jit: false } } } };
  const text = stringify({ ...smallExperiment(), common, variants, workload });
  writeFileSync(path.join(project, 'experiments/small.yaml'), text);
  return runCommandLine(['plan', 'small', ...options], { workingFolder: project });
}

const outside = '../../secret/id_rsa';

describe('a file that an experiment of somebody else could take out', () => {
  it.each([
    ['a script', { ...own, scripts: [{ file: outside }] }],
    ['a file of a load', { ...own, load: { sql: [outside] } }],
    ['a file that a load reads', { ...own, load: { ...load, files: [outside] } }],
    ['a dump', { ...own, load: { dump: outside } }],
    ['a file of a reset', { ...own, load: { ...load, reset: [outside] } }],
    ['an archive', { ...hammerdb, archive: outside }],
  ])('is refused as %s, with its path and what to do, before it is read', async (_, workload) => {
    const { exitCode, stderr } = await plan(workload);
    expect(exitCode).toBe(2);
    const printed = stderr.replaceAll(/\s+/g, ' ');
    expect(printed).toContain(`names the file ${outside}, which is outside ${project}/experiments`);
    expect(printed).toContain(`(--files-in ${root}/secret)`);
    expect(stderr).not.toContain(secret.slice(1));
  });

  it('is refused by its whole path, too', async () => {
    const { exitCode, stderr } = await plan({ ...own, load: { dump: path.join(root, 'secret/id_rsa') } });
    expect({ exitCode, isNamed: stderr.includes('not readable by everyone') }).toEqual({ exitCode: 2, isNamed: true });
  });

  it('is taken where the user names its folder', async () => {
    writeFileSync(path.join(root, 'secret/id_rsa'), 'SELECT 1;\n');
    const workload = { ...own, load: { sql: [outside] } };
    expect(await plan(workload, '--files-in', '../secret')).toMatchObject({ exitCode: 0 });
    const { exitCode, stderr } = await plan(workload, '--files-in', 'nowhere');
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Name a folder.') as string,
    });
  });
});

describe('a try', () => {
  it('takes the files that its user has typed', async () => {
    const [dump, script] = ['secret/shop.dump', 'secret/q.sql'].map((name) => path.join(root, name));
    for (const file of [dump ?? '', script ?? '']) writeFileSync(file, 'SELECT 1;\n', { mode: 0o600 });
    const args = ['try', '--set', 'jit=on,off', '--dump', dump ?? '', '--script', script ?? '', '--dry-run'];
    expect(await runCommandLine(args, { workingFolder: project })).toMatchObject({ exitCode: 0 });
  });

  it('says how a run of the file that it has kept may read them', () => {
    expect(loadRunCommand('mine.yaml', { out: 'results', filesIn: ['/srv/my dumps'] })).toBe(
      `${ownCommand} load-run mine.yaml --local --files-in '/srv/my dumps'`,
    );
  });
});
