import { cpSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { project } from '../../lib/build-options.ts';
import { checkTypes } from './check-types.ts';
import { type InFolder, makeUser, type User } from './user.ts';

/** What a local run may take on disk, in bytes. */
const maxInstalledBytes = 60e6;

export interface Package {
  /** Folder with the version of Node.js that runs it. */
  programs: string;
  /** Path of the package. */
  archive: string;
  /** Folder that is made for this check. */
  own: string;
  /** Address of the registry. */
  registry: string;
}

/** Uses the package as users do: from a first answer to a repository, a machine that has nothing but it, and the CDK. */
export function checkWith({ programs, archive, own, registry }: Package): void {
  const user = makeUser(own, programs, registry);
  const repository = user.folder('repository');
  const here = user.in(repository);
  process.stderr.write(`Node.js ${here.run('node', '--version')}`);
  const brought = path.join(user.folder('brought'), path.basename(archive));
  cpSync(archive, brought);

  here.run('npm', 'init', '--yes');
  here.run('npm', 'install', brought);
  requireSmall(path.join(repository, 'node_modules'));
  here.run('chmod', '-R', 'a-w', 'node_modules');
  const printed = here.run('npx', 'pgduet', 'init');
  here.expect('cdk.json', 'experiments/quick.yaml', '.gitignore', '.github/workflows/experiments.yml');
  useLocally(here);
  rmSync(brought);
  useElsewhere(user, repository, makeUser(path.join(own, 'elsewhere'), programs, registry));

  here.run('sh', '-c', 'npx pgduet template mine 2>&1 | grep "Missing: aws-cdk-lib, constructs"');
  const install = /^ +(npm install .*aws-cdk.*)$/m.exec(printed)?.[1];
  if (install === undefined) throw new Error(`init does not say how to install the CDK:\n${printed}`);
  here.run('chmod', '-R', 'u+w', 'node_modules');
  here.run('sh', '-c', install);
  here.run('chmod', '-R', 'a-w', 'node_modules');
  deploy(here);
  const app = user.folder('repository/own-app');
  for (const name of ['app.mjs', 'cdk.json']) {
    cpSync(path.join(project, 'examples/own-app', name), path.join(app, name));
  }
  user.in(app).run('npx', 'cdk', 'synth', '--quiet');
  user.in(app).expect('cdk.out/LogVolumeStudy.template.json');
  checkTypes(repository);
}

/** @throws if the installed packages take more than a local run may */
function requireSmall(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // As du counts: a file takes whole blocks.
  const bytes = files.reduce((sum, name) => sum + lstatSync(path.join(folder, name)).blocks * 512, 0);
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  process.stderr.write(`         ${size} are installed for a local run\n`);
  if (bytes > maxInstalledBytes) throw new Error(`${folder} has ${size}, more than ${maxInstalledBytes / 1e6}`);
}

function useLocally(here: InFolder): void {
  // Other programs on this machine may spoil a trial (exit code 1), and even end a run. What it left is looked at.
  const measure = (...args: string[]): string =>
    here.run('sh', '-c', '"$@" || [ $? = 1 ]', 'sh', 'npx', 'pgduet', ...args);
  here.run('npx', 'pgduet', 'init', 'mine', '--from', 'dlv-pgbench');
  here.run('npx', 'pgduet', 'plan', 'mine', '--prices', 'kept');
  if (!here.run('npx', 'pgduet', 'list').includes('mine')) throw new Error('The own experiment is not listed.');

  here.run('npx', 'pgduet', 'init', 'tables', '--from', 'own-data');
  measure('load-run', 'tables', '--local', '--profile', 'smoke');
  measure('try', '--set', 'synchronous_commit=on,off', '--scale', '1', '--seconds', '1');
  here.expect('results/try-synchronous-commit/latest/report.html');
  here.run('npx', 'pgduet', 'report', 'results/tables/latest');
  here.expect('results/tables/latest/report.html');
  const read =
    "import { readResult } from 'pgduet/results'; console.log((await readResult('results/tables/latest')).kind)";
  if (!here.run('node', '--input-type=module', '--eval', read).includes('pgduet-result')) {
    throw new Error('The result cannot be read by the package.');
  }
}

/** A clone on a machine that has nothing of the first one: no cache, no archive beside it, no checkout. */
function useElsewhere(user: User, repository: string, other: User): void {
  const here = user.in(repository);
  here.run('git', 'init', '--quiet');
  here.run('git', 'add', '.');
  here.run('git', '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--message', 'Experiments');
  const folder = other.folder('clone');
  const there = other.in(folder);
  there.run('git', 'clone', '--quiet', repository, '.');
  there.run('npm', 'ci');
  there.run('npx', 'pgduet', 'plan', 'mine', '--prices', 'kept');
  rmSync(folder, { recursive: true });
}

function deploy(here: InFolder): void {
  here.run('npx', 'cdk', 'synth', '--quiet', '--context', 'experiment=mine', '--context', 'owner=alice');
  here.expect('cdk.out/pgduet-mine-alice.template.json');
  here.run('npx', 'pgduet', 'template', 'mine');
  here.expect('dist/templates/mine/LAUNCH.md');
}
