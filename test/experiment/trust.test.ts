import {
  appendFileSync,
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { codeHash, codeOf, foreignFiles, requireTrusted } from '../../runner/experiment/trust.ts';
import { ownMark } from '../../runner/files/own-mark.ts';
import { hashFiles } from '../../runner/workloads/loaded-with.ts';
import { project } from '../../lib/build-options.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { smallExperiment } from '../helpers/samples/experiment-file.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';
import { sealAgain } from '../helpers/samples/sealed-sample.ts';

const bob = 65_534;
const bobs = expect.stringMatching(/^belongs to (\w+|another user) \(id 65534\)$/) as string;
let folder: string;
let environment: { HOME: string };
beforeEach(() => {
  folder = temporaryFolder();
  environment = { HOME: temporaryFolder() };
  for (const name of ['rows.csv', 'mix.sql', 'included.sql']) writeFileSync(at(name), 'SELECT 1;\n');
  writeFileSync(at('load.sql'), `\\i ${at('included.sql')}\n`);
  const workload = {
    tool: 'own-data',
    load: { sql: ['load.sql'], files: ['rows.csv'] },
    clients: 1,
    durationSeconds: 1,
    scripts: [{ file: 'mix.sql' }],
  };
  writeFileSync(at('small.yaml'), stringify({ ...smallExperiment(), workload }));
});

const at = (name: string): string => path.join(folder, name);
const load = (named = at('small.yaml')) => loadExperiment(named, { folder });
const foreignIn = (named?: string) => foreignFiles(codeOf(load(named)), environment);

function hashNow(): string {
  const { text, names, folder: around } = codeOf(load());
  return codeHash(text, hashFiles(names, around));
}

describe('the hash of an experiment', () => {
  it.each(['small.yaml', 'rows.csv', 'mix.sql', 'load.sql', 'included.sql'])(
    'changes with each byte of what it names or includes: %s',
    (name) => {
      const before = hashNow();
      expect(before).toMatch(/^[0-9a-f]{40}$/);
      expect(hashNow()).toBe(before);
      appendFileSync(at(name), ' ');
      expect(hashNow()).not.toBe(before);
    },
  );

  it('changes with each byte of a program or a library that a parameter names by its path', () => {
    for (const name of ['archive.sh', 'library.so']) writeFileSync(at(name), 'one\n');
    const parameters = {
      archive_command: `nice '${at('archive.sh')}' %p`,
      shared_preload_libraries: `pg_stat_statements, ${at('library')}`,
    };
    const { variants, ...experiment } = smallExperiment();
    const [first = ''] = Object.keys(variants);
    writeFileSync(
      at('small.yaml'),
      stringify({ ...experiment, variants: { ...variants, [first]: { engine: { parameters } } } }),
    );
    for (const name of ['archive.sh', 'library.so']) {
      const before = hashNow();
      appendFileSync(at(name), ' ');
      expect(hashNow(), name).not.toBe(before);
    }
  });

  it('is another one where two files change their places', () => {
    appendFileSync(at('rows.csv'), '2\n');
    const before = hashNow();
    renameSync(at('rows.csv'), at('other'));
    renameSync(at('mix.sql'), at('rows.csv'));
    renameSync(at('other'), at('mix.sql'));
    expect(hashNow()).not.toBe(before);
  });
});

describe('an experiment of one’s own', () => {
  it('is nobody else’s, also where links of one’s own lead to it', () => {
    symlinkSync(at('mix.sql'), at('link.sql'));
    renameSync(at('mix.sql'), at('real.sql'));
    symlinkSync('real.sql', at('mix.sql'));
    expect(foreignIn()).toEqual([]);
  });

  it.each(readdirSync(path.join(project, 'experiments')).filter((name) => name.endsWith('.yaml')))(
    'is each that pgduet brings: %s',
    (name) => {
      const loaded = loadExperiment(path.join(project, 'experiments', name), { folder: project });
      expect(foreignFiles(codeOf(loaded), {})).toEqual([]);
    },
  );

  it('is somebody else’s as soon as everybody may change one of its files', () => {
    chmodSync(at('mix.sql'), 0o666);
    expect(foreignIn()).toEqual([{ file: at('mix.sql'), why: 'can be written by other users' }]);
  });

  it('is somebody else’s if everybody may put another file in its place', () => {
    chmodSync(folder, 0o777);
    expect(foreignIn().map(({ why }) => why)).toEqual(
      expect.arrayContaining([`is reached through ${folder}, which can be written by other users`]),
    );
    chmodSync(folder, 0o1777);
    expect(foreignIn()).toEqual([]);
  });
});

describe.skipIf(process.getuid?.() !== 0)('a file of another user', () => {
  it.each(['small.yaml', 'rows.csv', 'mix.sql', 'load.sql', 'included.sql'])(
    'makes its experiment foreign: %s',
    (name) => {
      chownSync(at(name), bob, bob);
      expect(foreignIn()).toEqual([{ file: at(name), why: bobs }]);
    },
  );

  it('is one that is reached through a folder or a link of that user', () => {
    const theirs = at('theirs');
    mkdirSync(theirs);
    renameSync(at('mix.sql'), path.join(theirs, 'mix.sql'));
    symlinkSync('theirs/mix.sql', at('mix.sql'));
    expect(foreignIn()).toEqual([]);
    lchownSync(at('mix.sql'), bob, bob);
    expect(foreignIn()).toEqual([{ file: at('mix.sql'), why: bobs }]);
    lchownSync(at('mix.sql'), 0, 0);
    chownSync(theirs, bob, bob);
    expect(foreignIn()).toEqual([
      { file: at('mix.sql'), why: expect.stringContaining(`is reached through ${theirs}, which belongs to`) as string },
    ]);
  });

  it('is one’s own for whom that user called with sudo', () => {
    chownSync(at('mix.sql'), bob, bob);
    vi.stubEnv('SUDO_UID', String(bob));
    expect(foreignIn()).toEqual([]);
    // With the umask of a user who has a group of his own.
    chownSync(at('mix.sql'), bob, bob);
    chmodSync(at('mix.sql'), 0o664);
    expect(foreignIn()).toHaveLength(1);
    vi.stubEnv('SUDO_GID', String(bob));
    expect(foreignIn()).toEqual([]);
    vi.unstubAllEnvs();
    expect(foreignIn()).toHaveLength(1);
  });

  it('is deployed only with the hash of what is there now', () => {
    const deploy = (answered?: string) => (): void =>
      requireTrusted(load(), answered, { word: '-c trust=', environment });
    deploy()();
    chownSync(at('mix.sql'), bob, bob);
    const hash = hashNow();
    expect(deploy()).toThrow(`-c trust=${hash}`);
    expect(deploy()).toThrow(at('mix.sql'));
    deploy(hash)();
    appendFileSync(at('load.sql'), '-- changed\n');
    expect(deploy(hash)).toThrow(`-c trust=${hash} is the hash of other files than the present ones.`);
  });
});

describe('an experiment in the folder of a run', () => {
  const kept = (): string => path.join(folder, 'run/inputs/files/small.yaml');
  const notMine = (file = kept()): object => ({ file, why: `is part of ${at('run')}, which was not measured here` });

  /** A run of the experiment in `folder`, which has only a script of pgbench. */
  async function saveRun(): Promise<void> {
    await saveSample(at('run'), { blocks: 2 });
    mkdirSync(path.join(folder, 'run/inputs/files'), { recursive: true });
    const workload = { tool: 'pgbench', scale: 1, clients: 1, durationSeconds: 1, scripts: [{ file: 'mix.sql' }] };
    writeFileSync(kept(), stringify({ ...smallExperiment(), workload }));
    writeFileSync(path.join(path.dirname(kept()), 'mix.sql'), 'SELECT 1;\n');
    const { text, names, folder: around } = codeOf(load(kept()));
    const files = hashFiles(names, around);
    const origin = await ownMark(codeHash(text, files), environment);
    await record({ files, origin });
  }

  async function record({ files, origin }: { files: object; origin: string | null }): Promise<void> {
    const { readFile, writeFile } = await import('node:fs/promises');
    const name = path.join(folder, 'run/run.json');
    const written = JSON.parse(await readFile(name, 'utf8')) as { experiment: object };
    Object.assign(written.experiment, { file: 'inputs/files/small.yaml', profile: 'full' });
    Object.assign(written, { tool: { name: 'pgbench', version: '16', files }, origin: origin ?? undefined });
    await writeFile(name, JSON.stringify(written));
    sealAgain(at('run'));
  }

  test('is one’s own if one made the run on this machine, wherever the folder is by now', async () => {
    await saveRun();
    expect(foreignIn('./run')).toEqual([]);
    expect(foreignIn(kept())).toEqual([]);
    renameSync(at('run'), at('moved'));
    expect(foreignIn('./moved')).toEqual([]);
  });

  test('is somebody else’s if it was sent from another home, by its folder and by its file', async () => {
    await saveRun();
    environment = { HOME: temporaryFolder() };
    await ownMark('anything', environment);
    const script = path.join(path.dirname(kept()), 'mix.sql');
    expect(foreignIn('./run')).toEqual([notMine(), notMine(script)]);
    expect(foreignIn(kept())).toEqual([notMine(), notMine(script)]);
  });

  test('is somebody else’s if its record has no mark, or nothing says where keys are', async () => {
    await saveRun();
    environment = {} as typeof environment;
    expect(foreignIn('./run')).toContainEqual(notMine());
  });

  test('is somebody else’s where a mark was taken from another run', async () => {
    await saveRun();
    const { text, names, folder: around } = codeOf(load(kept()));
    const origin = await ownMark(codeHash(text, hashFiles(names, around)), environment);
    appendFileSync(kept(), '# changed\n');
    await record({ files: hashFiles(names, around), origin });
    expect(foreignIn('./run')).toContainEqual(notMine());
  });

  test('has files that are somebody else’s if they were changed or added in it', async () => {
    await saveRun();
    const script = path.join(path.dirname(kept()), 'mix.sql');
    writeFileSync(script, 'SELECT 2;\n');
    expect(foreignIn(kept())).toEqual([notMine(script)]);
  });
});
