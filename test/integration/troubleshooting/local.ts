import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { folderWithExperiment, smallExperiment } from '../../helpers/samples/experiment-file.ts';
import { loginName } from '../../../runner/rds/deploy/owner.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { sealAgain } from '../../helpers/samples/sealed-sample.ts';
import { tooLong } from '../../../runner/cli/actions/try-plan.ts';
import { findPostgresBinaries } from '../../../runner/places/local/choose-binaries.ts';
import { findPooler } from '../../../runner/places/local/pooler-program.ts';
import { requireMemory, requireRoom } from '../../../runner/places/local/room.ts';
import { chooseVolumes } from '../../../runner/places/local/volumes/choose-volumes.ts';
import { requireSafePath } from '../../../runner/files/open-folder.ts';
import { findProgram, versionOf } from '../../../runner/workloads/hammerdb/program/find-program.ts';
import { resolveLevel, pgbenchSchema } from '../../../runner/workloads/pgbench/schema.ts';
import { sysbenchVersion } from '../../../runner/workloads/sysbench/program.ts';
import { tryScripts } from '../../../runner/workloads/pgbench/try-scripts.ts';
import { memoryExhausted, watchMemory } from '../../../runner/machine/memory-kills.ts';
import { requireProcesses } from '../../../runner/process/tracked-process.ts';
import { makeOwnedFolder } from '../../../runner/process/owned-folder.ts';
import { requireSameContents } from '../../../runner/postgres/contents.ts';
import { describeDriver } from '../../../runner/run/driver.ts';
import { withResultsLocked } from '../../../runner/storage/results-folder.ts';
import { runFolder } from '../../../runner/storage/run-folder.ts';
import { asCommand, command, endOf, type Ending, project, type Provocations } from './endings.ts';
import { installedPostgres } from '../../helpers/servers/local-cluster.ts';
import { onFolders, tinyExperiment, tinyRun, TinyRun } from '../../helpers/processes/tiny-run.ts';

const loadRun = ['load-run', 'tiny', ...onFolders];
const small = (changes: object): string => folderWithExperiment('small', { ...smallExperiment(), ...changes });

/** A run of an experiment that everybody may write. */
function runOfOthers(...words: string[]): Promise<Ending> {
  return tiny((run) => {
    chmodSync(path.join(run.folder, 'experiments/tiny.yaml'), 0o666);
    return run.run(...loadRun, ...words);
  });
}

function withManifest(text: string): string {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package.json'), text);
  return folder;
}

export const local: Provocations = {
  'Experiment "<name>" not found. …': () => command(['plan', 'quikc']),
  'package.json takes pgduet from <path>, which is not there. …': () =>
    command(['init'], withManifest('{"dependencies":{"pgduet":"file:../pgduet-0.1.0.tgz"}}')),
  '<file> is not the JSON that npm writes. …': () => command(['init'], withManifest('{')),
  'No experiment file at <path>. …': () => command(['plan', './nowhere.yaml']),
  '<file> has <number> problems:': () => command(['plan', 'small'], small({ question: 7, sclae: 10 })),
  '<file> has <number> KiB; an experiment has no more than <number>. …': () =>
    command(['plan', 'small'], small({ question: 'x'.repeat(2 ** 18) })),
  '<file> contains more than <number> keys and values, which no experiment needs; …': () =>
    command(['plan', 'small'], small({ tags: new Array(5000).fill(1) })),
  '<file> has no profile "<name>". It has: <names>.': () => command(['plan', 'quick', '--profile', 'huge']),
  'Not all of this experiment is yours, and it can run any program: <files>. …': () => runOfOthers(),
  '--trust <hash> is the hash of other files than the present ones. …': () => runOfOthers('--trust', '0'.repeat(40)),
  '<file> changed after you agreed to run it. …': () =>
    asCommand(() => {
      const workload = { tool: 'pgbench', scale: 1, clients: 1, durationSeconds: 1, scripts: [{ file: 'mix.sql' }] };
      const folder = small({ workload });
      writeFileSync(path.join(folder, 'experiments/mix.sql'), 'SELECT 1;\n');
      const { experiment, path: file, text } = loadExperiment('small', { folder });
      const inputs = { file, text, agreed: { 'mix.sql': '0' } };
      return describeDriver(experiment, { programs: '/nowhere', folder }, inputs, new AbortController().signal);
    }),
  'Rejected: <reasons>. Raise the limit in the experiment file, or measure less: …': () =>
    command(['plan', 'small'], small({ limits: { hours: 0.01 } })),
  'PostgreSQL 14 to 19 with pgbench is needed and was not found.': () =>
    asCommand(() =>
      findPostgresBinaries({ environment: { PATH: '/nowhere' }, signal: new AbortController().signal, versioned: [] }),
    ),
  '<origin> is <folder>: <reason>. Name the folder of PostgreSQL 14 to 19 with pgbench, or install it: …': () =>
    tiny((run) => run.run(...loadRun, '--pg-bindir', '/nowhere')),
  '<server> and <server> were loaded in the same way, but their contents differ: <differences>. …': () => {
    const holding = (server: string, rows: number) => ({
      server,
      contents: { rows: { audit: { rows, counted: true } }, states: {}, major: 15, definitions: {} },
    });
    return asCommand(() => requireSameContents([holding('one', 7), holding('two', 0)]));
  },
  'The shared_buffers of all variants add up to <size> GiB, but pgduet and its servers may use only <size> GiB of memory here, …':
    () => asCommand(() => requireMemory(loadExperiment('quick', { folder: project }).experiment, 2 ** 20)),
  '<what> failed. Memory ran out: the kernel killed <number> process. …': () => {
    const root = temporaryFolder();
    const count = (killed: number): void => writeFileSync(path.join(root, 'proc/vmstat'), `oom_kill ${killed}`);
    mkdirSync(path.join(root, 'proc'));
    count(0);
    const ranOut = watchMemory(root);
    count(1);
    return asCommand(() => {
      throw memoryExhausted(`Loading one failed. ${ranOut() ?? ''}`);
    });
  },
  '<folder> shows no processes here, so pgduet could not find the servers that it starts. …': () =>
    asCommand(() => requireProcesses('/nowhere')),
  'User <number> has no login name, which a deploy gets its owner from. …': () =>
    asCommand(() =>
      loginName(() => {
        throw new Error('ENOENT');
      }),
    ),
  'HammerDB was not found. …': () =>
    asCommand(() =>
      findProgram({ archive: undefined, environment: {}, signal: new AbortController().signal, installs: '/nowhere' }),
    ),
  'HammerDB in <folder> does not work: <reason>': () =>
    asCommand(() => versionOf('/nowhere', new AbortController().signal)),
  'HammerDB in <folder> cannot reach PostgreSQL: <reason> …': () =>
    asCommand(() => versionOf(withoutLibrary(), new AbortController().signal)),
  'sysbench was not found. …': () =>
    asCommand(() => sysbenchVersion(new AbortController().signal, { PATH: '/nowhere' })),
  '<version> is not sysbench 1.0 or newer. …': () => {
    const PATH = path.dirname(programThat('sysbench', 'sysbench 0.4.12'));
    return asCommand(() => sysbenchVersion(new AbortController().signal, { PATH }));
  },
  'variants.<name>.pooler: PgBouncer was not found on this machine. …': () => asCommand(() => pooled({}, () => null)),
  'variants.<name>.pooler.mode is transaction, but the clients of this load prepare statements …': () =>
    asCommand(() => pooled({ queryMode: 'prepared' }, () => programThat('pgbouncer', 'PgBouncer 1.18.0'))),
  'variants.<name>.engine.version: "<version>" is not installed here.': () =>
    tiny((run) => {
      run.define({ ...tinyExperiment, variants: { one: {}, two: { engine: { version: '15.999' } } } });
      return run.run(...loadRun);
    }),
  '--pg-bindir is <folder>: no variant uses PostgreSQL <version>. …': () =>
    tiny((run) => {
      const folders = ['15.1', '17.1'].map((version) => saying(version, run.folder));
      return run.run(...loadRun, ...folders.flatMap((folder) => ['--pg-bindir', folder]));
    }),
  'Could not <do> <path>: this user has no permission (EACCES). …': () =>
    tiny((run) => {
      chmodSync(path.join(run.folder, 'experiments/tiny.yaml'), 0);
      return run.runAs(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}, 'plan', 'tiny');
    }),
  // Linux has a device that is always full.
  'Could not <do> <path>: the disk is full (ENOSPC). …': () => asCommand(() => writeFileSync('/dev/full', 'x')),
  'Could not <do> <path>: <reason>. …': () => asCommand(() => mkdirSync('/dev/null/results')),
  'Could not create the data folder of variant <name>: <reason>. …': () =>
    tiny(async (run) => run.run(...loadRun, '--pg-bindir', await withoutRoom(run.folder))),
  'The volumes of all variants need <size> GiB, but <folder> has room for only <size> GiB. …': () => {
    const { experiment } = loadExperiment('quick', { folder: project });
    for (const { storage } of Object.values(experiment.variants)) storage.sizeGib = 65_536;
    return asCommand(() => requireRoom(experiment, tmpdir()));
  },
  '--volumes limited: <reason>. …': () => {
    const folder = path.join(temporaryFolder(), 'a'.repeat(100));
    mkdirSync(folder);
    const { signal } = new AbortController();
    return asCommand(() => chooseVolumes('limited', { folder, areLimited: true, say: () => undefined, signal }));
  },
  'variants.<name>.storage.type: "<type>" is not available on this machine. …': () =>
    tiny((run) => {
      run.define({ ...smallExperiment(), name: 'tiny', profiles: { local: {} } });
      return run.run(...loadRun);
    }),
  'The server of variant <name> does not start with the parameters of the experiment:': () =>
    tiny((run) => run.run(...withParameters(run, { shared_preload_libraries: 'no-such-library' }))),
  'There are no loaded local clusters of <experiment> with these variants and this scale. …': () =>
    tiny((run) => run.run('run', 'tiny', ...onFolders)),
  '<what>: in use by another pgduet (process <number>). Wait for it to finish, or stop it.': () =>
    tiny((run) =>
      withResultsLocked(path.join(run.folder, 'results/tiny'), async () => {
        const second = run.run(...loadRun);
        await second.ended;
        return second;
      }),
    ),
  'load.sql <file>, line <number>, on <server>: <reason>': () =>
    tiny((run) => ownData(run, { sql: ['made.sql'] }, { 'made.sql': 'CREATE TABEL a (id int);\n' })),
  'workload.load.dump: <file> <reason>': () =>
    tiny((run) => ownData(run, { dump: 'app.dump' }, { 'app.dump': '-- PostgreSQL database dump\n' })),
  'pgbench rejects the scripts or options of this workload: <reason>': () =>
    tiny((run) => {
      run.put('mix.sql', '\\gset\n');
      run.define({ ...tinyExperiment, workload: { ...tinyExperiment.workload, scripts: [{ file: 'mix.sql' }] } });
      return run.run('plan', 'tiny');
    }),
  'The script <name> does not run on <server>: <reason>': () =>
    tiny((run) =>
      ownData(
        run,
        { sql: ['made.sql'] },
        { 'made.sql': 'CREATE TABLE a (id int);\n', 'mix.sql': 'SELECT * FROM b;\n' },
      ),
    ),
  'Script <name> did not complete <number> transactions on <server> within <time>. …': () =>
    asCommand(() => {
      const folder = temporaryFolder();
      writeFileSync(path.join(folder, 'pgbench'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
      const target = { server: 'one', host: '127.0.0.1', port: 1, user: 'u', database: 'd', environment: {} };
      const workload = resolveLevel(pgbenchSchema.parse({ tool: 'pgbench', scale: 1, clients: 1, durationSeconds: 1 }));
      const options = { workload, programs: folder, scriptFolder: folder, collect: [] };
      return tryScripts(target, options, { folder, signal: new AbortController().signal, secondsEach: 0.1 });
    }),
  'A transaction of <script> takes <time>. <number> blocks, the minimum for a verdict, then take at least <number> minutes, …':
    () =>
      asCommand(() => {
        const atLeast = { blocks: 6, seconds: 1500 };
        throw tooLong({ script: 'report.sql' }, { transactionSeconds: 61.7, variants: 2, atLeast });
      }),
  '<folder> belongs to another user (id <number>), who could redirect what is written to <folder>. …': () =>
    asCommand(() => {
      const folder = mkdtempSync('/tmp/foreign-');
      onTestFinished(() => rmSync(folder, { recursive: true }));
      // Root may give it away; anybody else looks at it as another user.
      if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534);
      else vi.spyOn(process, 'getuid').mockReturnValue(65_534);
      requireSafePath(folder, 'choose another folder (--out)');
    }),
  '<folder> has no sticky bit and can be written by other users, who could redirect what is written to …': () =>
    asCommand(() => {
      const folder = mkdtempSync('/tmp/open-');
      onTestFinished(() => rmSync(folder, { recursive: true }));
      chmodSync(folder, 0o777);
      requireSafePath(folder, 'choose another folder (--out)');
    }),
  '<folder> is no longer the same folder: it was moved or removed in the meantime. …': () =>
    asCommand(async () => {
      const folder = path.join(temporaryFolder(), 'run');
      mkdirSync(folder);
      const store = runFolder(folder, folder);
      renameSync(folder, `${folder}-moved`);
      mkdirSync(folder);
      await store.goOn();
    }),
  'TMPDIR is <folder>: PostgreSQL cannot be configured in a folder with a line break in its name. …': () =>
    asCommand(() => {
      vi.stubEnv('TMPDIR', path.join(temporaryFolder(), 'a\nb'));
      onTestFinished(() => void vi.unstubAllEnvs());
      makeOwnedFolder();
    }),
  '--blind: with a fixed number of transactions, trial times would reveal throughput. …': () =>
    tiny((run) => {
      const { durationSeconds: _, ...workload } = tinyExperiment.workload;
      run.define({ ...tinyExperiment, workload: { ...workload, transactions: 100 }, profiles: { local: {} } });
      return run.run(...loadRun, '--blind');
    }),
  '--live: the page address is secret. Standard error is not a terminal (or CI is set), …': () =>
    tiny((run) => run.run(...loadRun, '--live')),
  '--resume: no run to resume at <path>. …': () => tiny((run) => run.run(...loadRun, '--resume')),
  '--resume: <folder> measured something different, so new trials cannot be added to it: …': () =>
    tiny(async (run) => {
      await measured(run);
      return run.run(...loadRun, '--resume', '--seed', '7');
    }),
  '--resume: <folder> is complete. …': () =>
    tiny(async (run) => {
      await measured(run);
      return run.run(...loadRun, '--resume');
    }),
  '--resume: <folder> has nothing left to measure. Its servers lost trials: …': () =>
    tiny(async (run) => {
      await measured(run);
      loseTrial(run);
      return run.run(...loadRun, '--resume');
    }),
  'interrupted by <signal>': () =>
    tiny(async (run) => {
      const running = run.run(...loadRun, '--profile', 'long-trials');
      await run.underLoad();
      running.process.kill('SIGTERM');
      return running;
    }),
  'this is a bug, please report it.': () =>
    asCommand(() => {
      throw new TypeError('undefined is not a function');
    }),
};

/** Carries out a command in a folder with the experiment tiny, and removes the folder at its end. */
async function tiny(
  start: (run: TinyRun) => ReturnType<TinyRun['run']> | Promise<ReturnType<TinyRun['run']>>,
): Promise<Ending> {
  const run = tinyRun();
  return await endOf(await start(run));
}

/** Starts a run with data of its own. */
function ownData(run: TinyRun, load: object, files: Readonly<Record<string, string>>): ReturnType<TinyRun['run']> {
  for (const [name, content] of Object.entries({ 'mix.sql': 'SELECT 1;\n', ...files })) run.put(name, content);
  const { clients, durationSeconds } = tinyExperiment.workload;
  const workload = { tool: 'own-data', load, clients, durationSeconds, scripts: [{ file: 'mix.sql' }] };
  run.define({ ...tinyExperiment, workload, profiles: { local: {} } });
  return run.run(...loadRun);
}

/** PostgreSQL's programs, with an initdb that finds no room. */
async function withoutRoom(parent: string): Promise<string> {
  const { folder } = await installedPostgres();
  const programs = path.join(parent, 'programs');
  mkdirSync(programs);
  for (const name of ['postgres', 'pgbench']) symlinkSync(path.join(folder, name), path.join(programs, name));
  const words = 'initdb: error: could not write to file "x": No space left on device';
  writeFileSync(path.join(programs, 'initdb'), `#!/bin/sh\necho '${words}' >&2\nexit 1\n`, { mode: 0o755 });
  return programs;
}

/** A folder whose HammerDB says that it has no library of PostgreSQL. */
function withoutLibrary(): string {
  const folder = temporaryFolder();
  const lines = ['HammerDB CLI v6.0', 'Checking database library for PostgreSQL', 'Error: failed to load Pgtcl'];
  writeFileSync(
    path.join(folder, 'hammerdbcli'),
    ['#!/bin/sh', ...lines.map((line) => `echo '${line}'`), ''].join('\n'),
    {
      mode: 0o755,
    },
  );
  return folder;
}

/** Programs that say that they are of this version. */
function saying(version: string, parent: string): string {
  const programs = path.join(parent, version);
  mkdirSync(programs);
  for (const name of ['postgres', 'initdb', 'pgbench']) {
    writeFileSync(path.join(programs, name), `#!/bin/sh\necho '${name} (PostgreSQL) ${version}'\n`, { mode: 0o755 });
  }
  return programs;
}

/** The path of a program that says its version. */
function programThat(name: string, says: string): string {
  const program = path.join(temporaryFolder(), name);
  writeFileSync(program, `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
  return program;
}

function pooled(workload: object, find: () => string | null): Promise<unknown> {
  const changes = {
    common: { ...tinyExperiment.common, pooler: { mode: 'transaction', poolSize: 1 } },
    workload: { ...tinyExperiment.workload, ...workload },
  };
  const folder = folderWithExperiment('tiny', { ...tinyExperiment, ...changes });
  return findPooler(loadExperiment('tiny', { folder }).experiment, new AbortController().signal, find);
}

function withParameters(run: TinyRun, parameters: object): string[] {
  const { common } = tinyExperiment;
  run.define({ ...tinyExperiment, common: { ...common, engine: { parameters } } });
  return loadRun;
}

/** A run that has ended, measured once for all that resume one. */
let ended: TinyRun | undefined;
afterAll(() => ended?.remove());

async function measured(run: TinyRun): Promise<void> {
  const experiment = { ...tinyExperiment, protocol: { blocks: 1, warmUpSeconds: 0, repeats: 0 } };
  run.define(experiment);
  if (!ended) {
    ended = new TinyRun();
    ended.define(experiment);
    expect((await ended.run(...loadRun).ended).exitCode).toBe(0);
  }
  const [from, to] = [ended, run].map(({ folder }) => path.join(folder, 'results')) as [string, string];
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

/** Leaves the files of a measured run as they are if a server lost its first trial. */
function loseTrial(run: TinyRun): void {
  const latest = path.join(run.folder, 'results/tiny/latest');
  const change = (file: string, changes: object): void => {
    const content = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...content, ...changes }));
  };
  change(path.join(latest, 'result.json'), { complete: false });
  const failure = { stage: 'measure', error: 'the server ended' };
  change(path.join(latest, 'trials', run.result().trials[0]?.id ?? '', 'trial.json'), { state: 'failed', failure });
  sealAgain(latest);
}
