import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { nobody } from '../helpers/hostile/neighbour.ts';

const quick = path.resolve(import.meta.dirname, '../../experiments/quick.yaml');
const init = (workingFolder: string) => runCommandLine(['init', 'mine', '--from', quick], { workingFolder });

describe('pgduet init', () => {
  test('writes an experiment below the working folder', async () => {
    const folder = temporaryFolder();
    expect((await init(folder)).exitCode).toBe(0);
    expect(existsSync(path.join(folder, 'experiments/mine.yaml'))).toBe(true);
  });

  test('keeps the comments of its template, but leaves its questions to be written', async () => {
    const folder = temporaryFolder();
    await init(folder);
    const made = readFileSync(path.join(folder, 'experiments/mine.yaml'), 'utf8');
    const [, ...questions] = made.split('question: ').map((part) => part.split('\n')[0]);
    expect(new Set(questions)).toEqual(new Set(['What should mine answer? Write it here.']));
    expect(made).toContain('# An idle neighbour must stay idle.');
    expect((await runCommandLine(['plan', 'mine'], { workingFolder: folder })).exitCode).toBe(0);
  });

  test('leaves out what its template asks where volumes cannot be limited: the reader’s own question would not be asked', async () => {
    const folder = temporaryFolder();
    await init(folder);
    expect(loadExperiment('mine', { folder }).profiles).not.toContain('folders');
  });

  test.each([
    ['has no profiles', 'name: theirs\nquestion: Theirs?\nvariants: {}\n'],
    ['is empty', ''],
    ['is a list', '- one\n'],
    ['is not YAML', 'name: [\nprofiles: { folders: {} }\n'],
  ])('copies a template that %s: what is wrong with it, plan says', async (_, text) => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'theirs.yaml'), text);
    const { exitCode } = await runCommandLine(['init', 'mine', '--from', 'theirs.yaml'], { workingFolder: folder });
    expect(exitCode).toBe(0);
    expect(existsSync(path.join(folder, 'experiments/mine.yaml'))).toBe(true);
  });

  test('keeps a copy from others if the file is, and follows no link to such a file elsewhere', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'sent/theirs'), { recursive: true });
    writeFileSync(
      path.join(folder, 'sent/theirs.yaml'),
      'name: theirs\nworkload: { scripts: [{ file: theirs/a.sql }] }\n',
    );
    writeFileSync(path.join(folder, 'sent/theirs/a.sql'), 'SELECT 1;', { mode: 0o600 });
    const from = (name: string) =>
      runCommandLine(['init', name, '--from', 'sent/theirs.yaml'], { workingFolder: folder });
    expect((await from('mine')).exitCode).toBe(0);
    expect(statSync(path.join(folder, 'experiments/mine/a.sql')).mode & 0o777).toBe(0o600);

    writeFileSync(path.join(folder, 'id_rsa'), 'secret', { mode: 0o600 });
    unlinkSync(path.join(folder, 'sent/theirs/a.sql'));
    symlinkSync('../../id_rsa', path.join(folder, 'sent/theirs/a.sql'));
    const refused = await from('other');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(`leads to ${realpathSync(folder)}/id_rsa and is outside`);
    expect(existsSync(path.join(folder, 'experiments/other.yaml'))).toBe(false);

    unlinkSync(path.join(folder, 'sent/theirs.yaml'));
    symlinkSync('../id_rsa', path.join(folder, 'sent/theirs.yaml'));
    expect(await from('third')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('leads to') as string });
  });

  test('brings along the files that the template keeps in a folder of its name, under the new name', async () => {
    const folder = temporaryFolder();
    const names = ['mine.yaml', 'mine/schema.sql', 'mine/transaction.sql'];
    const { stdout, exitCode } = await runCommandLine(['init', 'mine', '--from', 'own-data'], {
      workingFolder: folder,
    });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
    for (const name of names) expect(stdout).toContain(`experiments/${name}`);
    const [yaml = '', ...sql] = names.map((name) => readFileSync(path.join(folder, 'experiments', name), 'utf8'));
    expect(yaml).not.toContain('own-data/');
    const shipped = path.join(path.dirname(quick), 'own-data');
    expect(sql).toEqual(names.slice(1).map((name) => readFileSync(path.join(shipped, path.basename(name)), 'utf8')));
    expect((await runCommandLine(['plan', 'mine', '-p', 'local'], { workingFolder: folder })).exitCode).toBe(0);

    const copied = await runCommandLine(['init', 'third', '--from', 'mine', '--json'], { workingFolder: folder });
    expect(JSON.parse(copied.stdout)).toEqual({
      path: path.join(folder, 'experiments/third.yaml'),
      written: ['experiments/third.yaml', 'experiments/third/schema.sql', 'experiments/third/transaction.sql'],
    });
    expect((await runCommandLine(['plan', 'third'], { workingFolder: folder })).exitCode).toBe(0);
  });

  test('copies what the experiment names in its folder, byte by byte, and no more', async () => {
    const folder = temporaryFolder();
    const theirs = path.join(folder, 'experiments/data');
    mkdirSync(path.join(theirs, 'sub'), { recursive: true });
    const dump = Buffer.from([0x50, 0x47, 0xff, 0xfe, 0x00, 0x80]);
    writeFileSync(path.join(theirs, 'shop.dump'), dump);
    writeFileSync(path.join(theirs, 'sub/x'), 'x');
    writeFileSync(path.join(theirs, 'x.gz'), 'x.gz');
    writeFileSync(path.join(theirs, 'rows.csv'), '1\n');
    const script = (name: string): Buffer =>
      Buffer.from(
        `CREATE VIEW v AS SELECT data/rows.csv FROM caf\xe9;\n\\copy t FROM '${name}/rows.csv'\n\\ir data/gone.sql\n`,
        'latin1',
      );
    writeFileSync(path.join(theirs, 'load.sql'), script('data'));
    writeFileSync(path.join(theirs, 'unnamed.sql'), '');
    writeFileSync(
      path.join(folder, 'experiments/data.yaml'),
      'name: data\nfiles: [data/shop.dump, ./data/sub/x, "data/x.gz", data/load.sql, data/rows.csv, other-data/y.sql, data/../z, data/gone]\n',
    );
    expect((await runCommandLine(['init', 'data-data', '--from', 'data'], { workingFolder: folder })).exitCode).toBe(0);
    const copy = path.join(folder, 'experiments/data-data');
    expect(readdirSync(copy, { recursive: true }).sort()).toEqual([
      'load.sql',
      'rows.csv',
      'shop.dump',
      'sub',
      'sub/x',
      'x.gz',
    ]);
    expect(readFileSync(path.join(copy, 'shop.dump'))).toEqual(dump);
    expect(readFileSync(path.join(copy, 'load.sql'))).toEqual(script('data-data'));
    expect(readFileSync(`${copy}.yaml`, 'utf8')).toContain(
      '[data-data/shop.dump, ./data-data/sub/x, "data-data/x.gz", data-data/load.sql, data-data/rows.csv, other-data/y.sql, data/../z, data/gone]',
    );
  });

  test('writes nothing if one of its files is there already', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'experiments/mine'), { recursive: true });
    writeFileSync(path.join(folder, 'experiments/mine/transaction.sql'), 'SELECT 1;');
    const { stderr, exitCode } = await runCommandLine(['init', 'mine', '--from', 'own-data'], {
      workingFolder: folder,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('experiments/mine/transaction.sql already exists');
    expect(readdirSync(path.join(folder, 'experiments'))).toEqual(['mine']);
    expect(readdirSync(path.join(folder, 'experiments/mine'))).toEqual(['transaction.sql']);
  });

  test('takes back what it wrote if a later file cannot be written, so that it can be repeated', async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'experiments/mine'), { recursive: true });
    const link = path.join(folder, 'experiments/mine/schema.sql');
    symlinkSync(path.join(folder, 'gone'), link);
    const attempt = () => runCommandLine(['init', 'mine', '--from', 'own-data'], { workingFolder: folder });
    expect((await attempt()).exitCode).toBe(2);
    expect(readdirSync(path.join(folder, 'experiments'), { recursive: true }).sort()).toEqual([
      'mine',
      'mine/schema.sql',
    ]);
    unlinkSync(link);
    expect((await attempt()).exitCode).toBe(0);
  });

  test.each(['>', '>-', '|', '|-', '|+'])(
    'leaves no line of a question after %s, and names of other things as they are',
    async (mark) => {
      const folder = temporaryFolder();
      writeFileSync(
        path.join(folder, 'theirs.yml'),
        `name: theirs\nquestion: ${mark}\n  Is it\n  faster?\nvariants: {}\nnetwork:\n  name: theirs # kept\n`,
      );
      await runCommandLine(['init', 'mine', '--from', 'theirs.yml'], { workingFolder: folder });
      expect(readFileSync(path.join(folder, 'experiments/mine.yaml'), 'utf8')).toBe(
        'name: mine\nquestion: What should mine answer? Write it here.\nvariants: {}\nnetwork:\n  name: theirs # kept\n',
      );
      await runCommandLine(['init', '--from', 'theirs.yml'], { workingFolder: folder });
      expect(existsSync(path.join(folder, 'experiments/theirs.yaml'))).toBe(true);
      writeFileSync(path.join(folder, 'Theirs.yaml'), '');
      const { stderr, exitCode } = await runCommandLine(['init', '--from', 'Theirs.yaml'], { workingFolder: folder });
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('"Theirs" cannot be the name of an experiment') as string,
      });
    },
  );

  test('without a name brings the files of its template, too', async () => {
    const folder = temporaryFolder();
    await runCommandLine(['init', '--from', 'own-data'], { workingFolder: folder });
    expect((await runCommandLine(['plan', 'own-data'], { workingFolder: folder })).exitCode).toBe(0);
    expect(readdirSync(path.join(folder, 'experiments/own-data'))).toEqual(['schema.sql', 'transaction.sql']);
  });

  test.each([
    ['passes if no experiment is deployed, as in a repository that was just made', { isDeployed: false, hasCdk: true }],
    ['makes no template without the CDK, which only deploys need', { isDeployed: true, hasCdk: false }],
    ['checks the templates of what is deployed', { isDeployed: true, hasCdk: true }],
  ])('its workflow %s', async (_, { isDeployed, hasCdk }) => {
    const folder = temporaryFolder();
    await runCommandLine(['init'], { workingFolder: folder });
    if (hasCdk) mkdirSync(path.join(folder, 'node_modules/aws-cdk-lib'), { recursive: true });
    const workflow = parse(readFileSync(path.join(folder, '.github/workflows/experiments.yml'), 'utf8')) as {
      jobs: { check: { steps: { run?: string }[] } };
    };
    const script = workflow.jobs.check.steps.at(-1)?.run ?? '';
    const programs = path.join(folder, 'programs');
    mkdirSync(programs);
    const npx = 'echo "$3" >> called; [ "$3" != template ] || mkdir -p dist/templates; echo {}';
    const stubs = { npx, jq: `exit ${isDeployed ? 0 : 1}`, 'cfn-lint': 'exit 1' };
    for (const [name, text] of Object.entries(stubs)) {
      writeFileSync(path.join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    const environment = { PATH: `${programs}:/usr/bin:/bin` };
    const { status, stderr } = spawnSync('bash', ['--norc', '-e', '-c', script], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const called = readFileSync(path.join(folder, 'called'), 'utf8').split('\n');
    expect(called.includes('template')).toBe(isDeployed && hasCdk);
  });

  test('without a name makes a repository of experiments, and keeps what is there', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, '.gitignore'), 'mine\n');
    const { stdout, exitCode } = await runCommandLine(['init'], { workingFolder: folder });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Wrote cdk.json, experiments/quick.yaml, .github/workflows/experiments.yml.');
    expect(stdout).toContain('Kept .gitignore');
    expect(readFileSync(path.join(folder, '.gitignore'), 'utf8')).toBe('mine\n');
    expect(readFileSync(path.join(folder, 'cdk.json'), 'utf8')).toMatch(/"app": "node .*bin\/app\.mjs"/);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'copies what another user wrote only after a word: the copy is one’s own',
    async () => {
      const folder = temporaryFolder();
      writeFileSync(path.join(folder, 'theirs.yaml'), 'name: theirs\nquestion: Theirs?\nvariants: {}\n');
      lchownSync(path.join(folder, 'theirs.yaml'), nobody.uid, nobody.gid);
      const copy = (...words: string[]) =>
        runCommandLine(['init', 'mine', '--from', 'theirs.yaml', ...words], { workingFolder: folder });
      const refused = await copy();
      const hash = /--trust (\w{40})/.exec(refused.stderr)?.[1] ?? '';
      expect(refused.exitCode).toBe(2);
      expect(existsSync(path.join(folder, 'experiments'))).toBe(false);
      expect((await copy('--trust', hash.replaceAll(/./g, '0'))).exitCode).toBe(2);
      expect((await copy('--trust', hash)).exitCode).toBe(0);
    },
  );

  test.skipIf(process.getuid?.() !== 0)('follows no link that another user has laid', async () => {
    const folder = temporaryFolder();
    const elsewhere = path.join(folder, 'elsewhere');
    const link = path.join(folder, 'experiments');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, link);
    lchownSync(link, nobody.uid, nobody.gid);
    const { stderr, exitCode } = await init(folder);
    expect(exitCode).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${link} belongs to another user`);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
