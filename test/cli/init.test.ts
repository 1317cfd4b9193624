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
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { nobody } from '../helpers/hostile/neighbour.ts';

const quick = path.resolve(import.meta.dirname, '../../experiments/quick.yaml');
let folder: string;
beforeEach(() => (folder = temporaryFolder()));
const at = (name: string): string => path.join(folder, name);
const read = (name: string): string => readFileSync(at(name), 'utf8');
const write = (name: string, text: string | Buffer, options: { mode?: number } = {}): void =>
  writeFileSync(at(name), text, options);
const run = (...words: string[]) => runCommandLine(words, { workingFolder: folder });
const init = () => run('init', 'mine', '--from', quick);

describe('pgduet init', () => {
  test('writes an experiment below the working folder', async () => {
    expect((await init()).exitCode).toBe(0);
    expect(existsSync(at('experiments/mine.yaml'))).toBe(true);
  });

  test('keeps the comments of its template, but leaves its questions to be written', async () => {
    await init();
    const made = read('experiments/mine.yaml');
    const [, ...questions] = made.split('question: ').map((part) => part.split('\n')[0]);
    expect(new Set(questions)).toEqual(new Set(['What should mine answer? Write it here.']));
    expect(made).toContain('# An idle neighbour must stay idle.');
    expect((await run('plan', 'mine')).exitCode).toBe(0);
  });

  test('leaves out what its template asks where volumes cannot be limited: the reader’s own question would not be asked', async () => {
    await init();
    expect(loadExperiment('mine', { folder }).profiles).not.toContain('folders');
  });

  test.each([
    ['has no profiles', 'name: theirs\nquestion: Theirs?\nvariants: {}\n'],
    ['is empty', ''],
    ['is a list', '- one\n'],
    ['is not YAML', 'name: [\nprofiles: { folders: {} }\n'],
  ])('copies a template that %s: what is wrong with it, plan says', async (_, text) => {
    write('theirs.yaml', text);
    const { exitCode } = await run('init', 'mine', '--from', 'theirs.yaml');
    expect(exitCode).toBe(0);
    expect(existsSync(at('experiments/mine.yaml'))).toBe(true);
  });

  test('keeps a copy from others if the file is, and follows no link to such a file elsewhere', async () => {
    mkdirSync(at('sent/theirs'), { recursive: true });
    write('sent/theirs.yaml', 'name: theirs\nworkload: { scripts: [{ file: theirs/a.sql }] }\n');
    write('sent/theirs/a.sql', 'SELECT 1;', { mode: 0o600 });
    const from = (name: string) => run('init', name, '--from', 'sent/theirs.yaml');
    expect((await from('mine')).exitCode).toBe(0);
    expect(statSync(at('experiments/mine/a.sql')).mode & 0o777).toBe(0o600);

    write('id_rsa', 'secret', { mode: 0o600 });
    unlinkSync(at('sent/theirs/a.sql'));
    symlinkSync('../../id_rsa', at('sent/theirs/a.sql'));
    const refused = await from('other');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(`leads to ${realpathSync(folder)}/id_rsa and is outside`);
    expect(existsSync(at('experiments/other.yaml'))).toBe(false);

    unlinkSync(at('sent/theirs.yaml'));
    symlinkSync('../id_rsa', at('sent/theirs.yaml'));
    expect(await from('third')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('leads to') as string });
  });

  test('brings along the files that the template keeps in a folder of its name, under the new name', async () => {
    const names = ['mine.yaml', 'mine/schema.sql', 'mine/transaction.sql'];
    const { stdout, exitCode } = await run('init', 'mine', '--from', 'own-data');
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
    for (const name of names) expect(stdout).toContain(`experiments/${name}`);
    const [yaml = '', ...sql] = names.map((name) => readFileSync(path.join(folder, 'experiments', name), 'utf8'));
    expect(yaml).not.toContain('own-data/');
    const shipped = path.join(path.dirname(quick), 'own-data');
    expect(sql).toEqual(names.slice(1).map((name) => readFileSync(path.join(shipped, path.basename(name)), 'utf8')));
    expect((await run('plan', 'mine', '-p', 'local')).exitCode).toBe(0);

    const copied = await run('init', 'third', '--from', 'mine', '--json');
    expect(JSON.parse(copied.stdout)).toEqual({
      path: at('experiments/third.yaml'),
      written: ['experiments/third.yaml', 'experiments/third/schema.sql', 'experiments/third/transaction.sql'],
    });
    expect((await run('plan', 'third')).exitCode).toBe(0);
  });

  test('copies what the experiment names in its folder, byte by byte, and no more', async () => {
    const theirs = at('experiments/data');
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
    write(
      'experiments/data.yaml',
      'name: data\nfiles: [data/shop.dump, ./data/sub/x, "data/x.gz", data/load.sql, data/rows.csv, other-data/y.sql, data/../z, data/gone]\n',
    );
    expect((await run('init', 'data-data', '--from', 'data')).exitCode).toBe(0);
    const copy = at('experiments/data-data');
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
    mkdirSync(at('experiments/mine'), { recursive: true });
    write('experiments/mine/transaction.sql', 'SELECT 1;');
    const { stderr, exitCode } = await run('init', 'mine', '--from', 'own-data');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('experiments/mine/transaction.sql already exists');
    expect(readdirSync(at('experiments'))).toEqual(['mine']);
    expect(readdirSync(at('experiments/mine'))).toEqual(['transaction.sql']);
  });

  test('takes back what it wrote if a later file cannot be written, so that it can be repeated', async () => {
    mkdirSync(at('experiments/mine'), { recursive: true });
    const link = at('experiments/mine/schema.sql');
    symlinkSync(at('gone'), link);
    const attempt = () => run('init', 'mine', '--from', 'own-data');
    expect((await attempt()).exitCode).toBe(2);
    expect(readdirSync(at('experiments'), { recursive: true }).sort()).toEqual(['mine', 'mine/schema.sql']);
    unlinkSync(link);
    expect((await attempt()).exitCode).toBe(0);
  });

  test.each(['>', '>-', '|', '|-', '|+'])(
    'leaves no line of a question after %s, and names of other things as they are',
    async (mark) => {
      write(
        'theirs.yml',
        `name: theirs\nquestion: ${mark}\n  Is it\n  faster?\nvariants: {}\nnetwork:\n  name: theirs # kept\n`,
      );
      await run('init', 'mine', '--from', 'theirs.yml');
      expect(read('experiments/mine.yaml')).toBe(
        'name: mine\nquestion: What should mine answer? Write it here.\nvariants: {}\nnetwork:\n  name: theirs # kept\n',
      );
      await run('init', '--from', 'theirs.yml');
      expect(existsSync(at('experiments/theirs.yaml'))).toBe(true);
      write('Theirs.yaml', '');
      const { stderr, exitCode } = await run('init', '--from', 'Theirs.yaml');
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('"Theirs" cannot be the name of an experiment') as string,
      });
    },
  );

  test('without a name brings the files of its template, too', async () => {
    await run('init', '--from', 'own-data');
    expect((await run('plan', 'own-data')).exitCode).toBe(0);
    expect(readdirSync(at('experiments/own-data'))).toEqual(['schema.sql', 'transaction.sql']);
  });

  test.each([
    ['passes if no experiment is deployed, as in a repository that was just made', { isDeployed: false, hasCdk: true }],
    ['makes no template without the CDK, which only deploys need', { isDeployed: true, hasCdk: false }],
    ['checks the templates of what is deployed', { isDeployed: true, hasCdk: true }],
  ])('its workflow %s', async (_, { isDeployed, hasCdk }) => {
    await run('init');
    if (hasCdk) mkdirSync(at('node_modules/aws-cdk-lib'), { recursive: true });
    const workflow = parse(read('.github/workflows/experiments.yml')) as {
      jobs: { check: { steps: { run?: string }[] } };
    };
    const script = workflow.jobs.check.steps.at(-1)?.run ?? '';
    const programs = at('programs');
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
    const called = read('called').split('\n');
    expect(called.includes('template')).toBe(isDeployed && hasCdk);
  });

  test('without a name makes a repository of experiments, and keeps what is there', async () => {
    write('.gitignore', 'mine\n');
    const { stdout, exitCode } = await run('init');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Wrote cdk.json, experiments/quick.yaml, .github/workflows/experiments.yml.');
    expect(stdout).toContain('Kept your existing .gitignore');
    expect(read('.gitignore')).toBe('mine\n');
    expect(read('cdk.json')).toMatch(/"app": "node .*bin\/app\.mjs"/);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'copies what another user wrote only after a word: the copy is one’s own',
    async () => {
      write('theirs.yaml', 'name: theirs\nquestion: Theirs?\nvariants: {}\n');
      lchownSync(at('theirs.yaml'), nobody.uid, nobody.gid);
      const copy = (...words: string[]) => run('init', 'mine', '--from', 'theirs.yaml', ...words);
      const refused = await copy();
      const hash = /--trust (\w{40})/.exec(refused.stderr)?.[1] ?? '';
      expect(refused.exitCode).toBe(2);
      expect(existsSync(at('experiments'))).toBe(false);
      expect((await copy('--trust', hash.replaceAll(/./g, '0'))).exitCode).toBe(2);
      expect((await copy('--trust', hash)).exitCode).toBe(0);
    },
  );

  test.skipIf(process.getuid?.() !== 0)('follows no link that another user has laid', async () => {
    const elsewhere = at('elsewhere');
    const link = at('experiments');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, link);
    lchownSync(link, nobody.uid, nobody.gid);
    const { stderr, exitCode } = await init();
    expect(exitCode).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${link} belongs to another user`);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
