import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { fakeRun, temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
// Where page and pictures go matters here, and not what is on them.
vi.mock('../../runner/report/html/page.ts', () => ({ renderPage: () => Promise.resolve('<html></html>') }));
vi.mock('../../runner/report/charts/standalone.ts', () => ({ standaloneChart: () => '<svg/>' }));
beforeEach(() => server.forget());
// Every file is written to the disk before it gets its name, some thousand times here.
if (existsSync('/dev/shm')) vi.stubEnv('TMPDIR', '/dev/shm');

/** What somebody lays at a path, so that a write goes where they like, never ends, or fails in a bad way. */
const laid: Record<string, (place: string, victim: string) => void> = {
  'a link to a file of ours': (place, victim) => symlinkSync(path.join(victim, 'file'), place),
  'a link to what is not there': (place, victim) => symlinkSync(path.join(victim, 'new'), place),
  'a second name of a file of ours': (place, victim) => linkSync(path.join(victim, 'file'), place),
  'a pipe': (place) => execFileSync('mkfifo', [place]),
  'a folder': (place) => mkdirSync(place),
};
/** And instead of each folder on the way. */
const aLinkToAFolder = (place: string, victim: string): void => symlinkSync(victim, place);

const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const folders: Record<string, (folder: string) => void> = {
  'a folder of ours': () => undefined,
  ...(isRoot && { 'a folder of another user': (folder) => chownSync(folder, nobody, nobody) }),
  'a folder open to all': (folder) => chmodSync(folder, 0o777),
  'a folder open to all with the sticky bit': (folder) => chmodSync(folder, 0o1777),
};

interface Verb {
  /** Makes what the verb needs in a folder. */
  prepare: (folder: string) => Promise<void>;
  carryOut: (folder: string) => Promise<unknown>;
}

const verbs: Record<string, Verb> = {
  'a run': {
    prepare: () => Promise.resolve(),
    carryOut: async (folder) => {
      const run = fakeRun({ folder, files: { 'mix.sql': 'SELECT 1;' }, workload: { scripts: [{ file: 'mix.sql' }] } });
      await run.carryOut();
    },
  },
  report: {
    prepare: (folder) => saveSample(folder, { blocks: 2, trialSeconds: 5 }).then(() => undefined),
    carryOut: async (folder) => {
      const { exitCode, stderr } = await runCommandLine(['report', '.'], { workingFolder: folder, columns: 80 });
      if (exitCode !== 0) throw new UserError(`${exitCode}: ${stderr}`);
    },
  },
};

/** Paths of all files and folders in a folder, relative to it. */
function everythingIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort();
}

describe.each(Object.entries(verbs))('nothing that %s writes goes elsewhere', (_, verb) => {
  let written: string[] = [];
  let prepared = '';

  it('which is found by a look at what it writes', async () => {
    prepared = temporaryFolderForAll();
    await verb.prepare(prepared);
    const before = new Set(everythingIn(prepared).map((name) => `${name} ${stateOf(prepared, name)}`));
    const folder = temporaryFolderForAll();
    cpSync(prepared, folder, { recursive: true, preserveTimestamps: true });
    await verb.carryOut(folder);
    written = everythingIn(folder).filter((name) => !before.has(`${name} ${stateOf(folder, name)}`));
    expect(written.length).toBeGreaterThan(2);
  });

  // Every combination with every kind of folder would take four times as long. So each kind takes its turn.
  it.each(
    Object.entries({ ...laid, 'a link to a folder': aLinkToAFolder }).map(([what, lay], turn) => ({ what, lay, turn })),
  )('is led nowhere by $what', async ({ lay, turn }) => {
    const kinds = Object.entries(folders);
    for (const [place, name] of written.entries()) {
      const [kind, arrange] = kinds[(place + turn) % kinds.length] ?? ['', () => undefined];
      const [folder, victim] = [temporaryFolder(), temporaryFolder()];
      cpSync(prepared, folder, { recursive: true, preserveTimestamps: true });
      writeFileSync(path.join(victim, 'file'), 'not to be touched');
      const at = path.join(folder, name);
      mkdirSync(path.dirname(at), { recursive: true });
      rmSync(at, { recursive: true, force: true });
      lay(at, victim);
      for (const one of ['.', ...everythingIn(folder)]) {
        if (lstatSync(path.join(folder, one)).isDirectory()) arrange(path.join(folder, one));
      }
      const outcome: unknown = await verb.carryOut(folder).then(
        () => 'written',
        (error: unknown) => error,
      );
      const text = readFileSync(path.join(victim, 'file'), 'utf8');
      expect({ name, kind, files: readdirSync(victim), text }).toEqual({
        name,
        kind,
        files: ['file'],
        text: 'not to be touched',
      });
      // Either it was done, or it was refused in words for the user.
      if (outcome !== 'written') expect(outcome).toBeInstanceOf(UserError);
    }
  });
});

function stateOf(folder: string, name: string): string {
  const { mtimeMs, size } = lstatSync(path.join(folder, name));
  return lstatSync(path.join(folder, name)).isDirectory() ? 'folder' : `${mtimeMs} ${size}`;
}

const toRemove: string[] = [];
afterAll(() => {
  for (const folder of toRemove) rmSync(folder, { recursive: true, force: true });
});

function temporaryFolderForAll(): string {
  const folder = execFileSync('mktemp', ['--directory'], { encoding: 'utf8' }).trim();
  toRemove.push(folder);
  return folder;
}
