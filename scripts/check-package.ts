import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { project } from '../lib/build-options.ts';

/**
 * Makes the package, and uses it as an ordinary user does: in an empty folder without this checkout, on a node_modules that
 * nobody may write to, with each version of Node.js that is supported. Packages come from the registry.
 */
const nodeVersions = { 22: '22.23.3', 24: '24.21.0' };
const ordinaryUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const { devDependencies } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')) as {
  devDependencies: Record<string, string>;
};
const folder = mkdtempSync(path.join(tmpdir(), 'check-package-'));
chmodSync(folder, 0o711);
try {
  const copy = copyProject(path.join(folder, 'project'));
  run('npm', ['run', '--silent', 'build'], { cwd: copy });
  run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  for (const [major, version] of Object.entries(nodeVersions)) {
    checkWith(
      path.dirname(installNode(major, version)),
      path.join(folder, archive),
      path.join(folder, `with-${major}`),
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A build begins by removing the last one, which other programs may be running. */
function copyProject(copy: string): string {
  const leftOut = ['node_modules', 'dist', '.git', 'results', 'cdk.out'].map((name) => path.join(project, name));
  cpSync(project, copy, { recursive: true, filter: (file) => !leftOut.includes(file) });
  symlinkSync(path.join(project, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** @returns the program */
function installNode(major: string, version: string): string {
  const where = path.join(folder, `node-${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  mkdirSync(where);
  const options = ['--silent', '--no-save', '--ignore-scripts', '--prefix', where];
  run('npm', ['install', ...options, `${name}@${version}`], { cwd: where });
  return path.join(where, 'node_modules', name, 'bin/node');
}

/** @param programs folder with Node.js */
function checkWith(programs: string, archive: string, own: string): void {
  makeFolder(own);
  const temporary = makeFolder(path.join(own, 'tmp'));
  const repository = makeFolder(path.join(own, 'repository'));
  const environment = {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    HOME: own,
    TMPDIR: temporary,
    CI: '1',
    // How this machine reaches the registry.
    ...pick(['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy', 'npm_config_registry']),
    AWS_REGION: 'us-east-1',
  };
  const as = (program: string, ...args: string[]): string =>
    run(program, args, { cwd: repository, env: environment, ...ordinaryUser });
  // Other programs on this machine may spoil a trial (exit code 1), and even end a run. What it left is looked at.
  const measures = (...args: string[]): void => {
    as('sh', '-c', '"$@" || [ $? = 1 ]', 'sh', 'npx', 'pgduet', ...args);
  };
  const expectFiles = (...names: string[]): void => {
    const missing = names.filter((name) => !existsSync(path.join(repository, name)));
    if (missing.length > 0) throw new Error(`${repository} has no ${missing.join(', ')}`);
  };

  process.stderr.write(`Node.js ${as('node', '--version')}`);
  as('npm', 'init', '--yes');
  as('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', archive);
  as(
    'npm',
    'install',
    '--save-dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `aws-cdk@${devDependencies['aws-cdk'] ?? ''}`,
  );
  as('chmod', '-R', 'a-w', 'node_modules');

  as('npx', 'pgduet', 'init');
  expectFiles('cdk.json', 'experiments/quick.yaml', '.gitignore', '.github/workflows/experiments.yml');
  as('npx', 'pgduet', 'init', 'mine', '--from', 'dlv-pgbench');
  as('npx', 'pgduet', 'plan', 'mine', '--prices', 'kept');

  if (!as('npx', 'pgduet', 'list').includes('mine')) throw new Error('The own experiment is not listed.');

  as('npx', 'pgduet', 'init', 'tables', '--from', 'own-data');
  measures('load-run', 'tables', '--local', '--profile', 'smoke');
  measures('try', '--set', 'synchronous_commit=on,off', '--scale', '1', '--seconds', '1');
  expectFiles('results/try-synchronous-commit/latest/report.html');
  as('npx', 'pgduet', 'report', 'results/tables/latest');
  expectFiles('results/tables/latest/report.html');
  const read =
    "import { readResult } from 'pgduet/results'; console.log((await readResult('results/tables/latest')).kind)";
  if (!as('node', '--input-type=module', '--eval', read).includes('pgduet-result')) {
    throw new Error('The result cannot be read by the package.');
  }

  as('npx', 'cdk', 'synth', '--quiet', '--context', 'experiment=mine', '--context', 'owner=alice');
  expectFiles('cdk.out/pgduet-mine-alice.template.json');
  as('npx', 'pgduet', 'template', 'mine');
  expectFiles('dist/templates/mine/LAUNCH.md');

  for (const name of ['app.mjs', 'cdk.json']) {
    cpSync(path.join(project, 'examples/own-app', name), path.join(makeFolder(path.join(repository, 'own-app')), name));
  }
  run('npx', ['cdk', 'synth', '--quiet'], { cwd: path.join(repository, 'own-app'), env: environment, ...ordinaryUser });
  expectFiles('own-app/cdk.out/LogVolumeStudy.template.json');
  checkTypes(repository);
}

function pick(names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
}

/** The types of the package are those of its modules. */
function checkTypes(repository: string): void {
  writeFileSync(
    path.join(repository, 'types.mts'),
    `import { Experiment, type ExperimentProps, ExperimentStack } from 'pgduet';
import { readReport, readResult, type Report, type Result } from 'pgduet/results';
export const props: ExperimentProps = { experiment: 'quick' };
export const complete = async (folder: string): Promise<Result['complete']> => (await readResult(folder)).complete;
export const verdict = async (folder: string): Promise<Report['verdict']> => (await readReport(folder)).verdict;
// @ts-expect-error: a name is a text
export const wrong: ExperimentProps = { experiment: 1 };
export { Experiment, ExperimentStack };
`,
  );
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', 'types.mts'];
  run(process.execPath, [path.join(project, 'node_modules/typescript/bin/tsc'), ...options], {
    cwd: repository,
  });
}

function makeFolder(where: string): string {
  mkdirSync(where, { recursive: true });
  if ('uid' in ordinaryUser) run('chown', [`${ordinaryUser.uid}:${ordinaryUser.gid}`, where], { cwd: folder });
  return where;
}

/** @throws with all of its output if it fails */
function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; uid?: number; gid?: number },
): string {
  const begun = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...options,
    encoding: 'utf8',
    timeout: 600_000,
  });
  const command = [program, ...args].join(' ');
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status ?? 'a signal'}:\n${stdout}${stderr}`);
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${command}\n`);
  return stdout;
}
