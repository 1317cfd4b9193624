import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { project } from '../lib/build-options.ts';
import { checkWith } from './package/check-with.ts';
import { startRegistry } from './package/registry.ts';
import { runProgram } from './package/run-program.ts';

/**
 * Makes the package, and uses it as an ordinary user does: in an empty folder without this checkout, with an empty cache of
 * npm, on a node_modules that nobody may write to, with each version of Node.js that is supported. Other packages come from
 * the registry, which has none with the name of ours.
 */
const nodeVersions = { 22: '22.23.3', 24: '24.21.0' };

const folder = mkdtempSync(path.join(tmpdir(), 'check-package-'));
chmodSync(folder, 0o711);
const registry = await startRegistry();
try {
  const copy = copyProject(path.join(folder, 'project'));
  runProgram('npm', ['run', '--silent', 'build'], { cwd: copy });
  runProgram('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  for (const [major, version] of Object.entries(nodeVersions)) {
    const programs = path.dirname(installNode(major, version));
    checkWith({
      programs,
      archive: path.join(folder, archive),
      own: path.join(folder, `with-${major}`),
      registry: registry.address,
    });
  }
  const asked = registry.askedFor('pgduet');
  if (asked.length > 0) throw new Error(`The registry was asked for a package of our name: ${asked.join(', ')}`);
} finally {
  registry.stop();
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
  runProgram('npm', ['install', ...options, `${name}@${version}`], { cwd: where });
  return path.join(where, 'node_modules', name, 'bin/node');
}
