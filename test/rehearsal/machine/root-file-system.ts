import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runChecked } from '../../../runner/process/run-command.ts';
import { baseUnits, driverServices, wantedUnits } from './units.ts';

export interface RootFileSystemOptions {
  /** Folder on a tmpfs. It receives everything that the machine changes. */
  folder: string;
  userData: string;
  /** What the rehearsal adds to the environment of every process on the machine. */
  environment: Readonly<Record<string, string>>;
  /** Folder that holds each package as a tree of files. */
  packages: string;
  /** Python environment with the aws command line. */
  aws: string;
  hostsFile: string;
}

/** Files that Amazon Linux does not have before its packages are installed, or that come from another place. */
const removed = [
  '/etc/postgresql',
  '/usr/lib/postgresql',
  '/usr/local/bin',
  '/var/log/journal',
  ...['aws', 'corepack', 'jq', 'node', 'npm', 'npx', 'pg_config', 'pgbench', 'psql', 'unzip'].map(
    (name) => `/usr/bin/${name}`,
  ),
];

/**
 * Makes the root file system of a machine. It is the one of this host, with all writes kept apart. Before the first boot it
 * is changed to be like Amazon Linux 2023 in everything that matters.
 *
 * @returns its path
 */
export async function makeRootFileSystem(options: RootFileSystemOptions): Promise<string> {
  const { folder } = options;
  const at = (name: string): string => path.join(folder, name);
  for (const name of ['changes', 'work', 'root', 'units']) mkdirSync(at(name), { recursive: true });
  const layers = `lowerdir=/,upperdir=${at('changes')},workdir=${at('work')}`;
  await runChecked(['mount', '-t', 'overlay', 'overlay', '-o', layers, at('root')]);
  const root = at('root');
  const inside = (file: string): string => path.join(root, file);
  for (const file of removed) rmSync(inside(file), { recursive: true, force: true });
  for (const file of ['/usr/local/bin', '/var/log/journal', '/rehearsal/units'])
    mkdirSync(inside(file), { recursive: true });

  // The host's own services must not run on the machine.
  await runChecked(['mount', '--bind', at('units'), inside('/etc/systemd/system')]);
  await bind(options.packages, inside('/rehearsal/packages'));
  await bind(options.hostsFile, inside('/etc/hosts'));
  await bind(options.aws, inside('/rehearsal/aws'));
  installUnits(inside);
  for (const file of ['dnf', 'amazon-linux-2023.packages', 'hurry.mjs', 'no-pauses.sh'])
    cpSync(path.join(import.meta.dirname, file), inside(`/rehearsal/${file}`));
  program(inside('/usr/bin/dnf'), 'exec /rehearsal/dnf "$@"');
  program(inside('/usr/bin/aws'), 'exec /rehearsal/aws/bin/python -m awscli "$@"');

  const settings = Object.entries(options.environment).map(([name, value]) => `"${name}=${value}"`);
  mkdirSync(inside('/etc/systemd/system.conf.d'), { recursive: true });
  writeFileSync(
    inside('/etc/systemd/system.conf.d/rehearsal.conf'),
    `[Manager]\nDefaultEnvironment=${settings.join(' ')}\n`,
  );
  mkdirSync(inside('/var/lib/cloud/instance/scripts'), { recursive: true });
  writeFileSync(inside('/var/lib/cloud/instance/scripts/part-001'), options.userData, { mode: 0o755 });
  return root;
}

async function bind(from: string, to: string): Promise<void> {
  mkdirSync(path.dirname(to), { recursive: true });
  if (statSync(from).isDirectory()) mkdirSync(to, { recursive: true });
  else if (!existsSync(to)) writeFileSync(to, '');
  await runChecked(['mount', '--bind', from, to]);
}

function installUnits(inside: (file: string) => string): void {
  for (const unit of baseUnits)
    cpSync(`/lib/systemd/system/${unit}`, inside(`/rehearsal/units/${unit}`), { dereference: true });
  cpSync(path.join(import.meta.dirname, 'cloud-final.service'), inside('/rehearsal/units/cloud-final.service'));
  symlinkSync('multi-user.target', inside('/rehearsal/units/default.target'));
  // A service that hides processes has a /proc of its own, in which the boot would have the id of this host's.
  for (const service of driverServices) {
    mkdirSync(inside(`/rehearsal/units/${service}.d`));
    writeFileSync(
      inside(`/rehearsal/units/${service}.d/boot-id.conf`),
      '[Service]\nBindReadOnlyPaths=/run/boot_id:/proc/sys/kernel/random/boot_id\n',
    );
  }
  for (const [target, units] of Object.entries(wantedUnits)) {
    mkdirSync(inside(`/rehearsal/units/${target}.wants`));
    for (const unit of units) symlinkSync(`../${unit}`, inside(`/rehearsal/units/${target}.wants/${unit}`));
  }
}

function program(file: string, line: string): void {
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}
