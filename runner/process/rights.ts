import { existsSync, readFileSync } from 'node:fs';
import { UserError } from '../contract/errors.ts';
import { runCommand } from './run-command.ts';

/** User that the servers run as: PostgreSQL refuses to run as root. */
export interface ServerUser {
  uid: number;
  gid: number;
  /** Options for spawn; empty if we are this user already. */
  spawnAs: { uid?: number; gid?: number };
}

/** Our own user. If that is root: `postgres`, which PostgreSQL's packages create, or else `nobody`. */
export function serverUser(passwd = () => readFileSync('/etc/passwd', 'utf8')): ServerUser {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  if (uid !== 0) return { uid, gid, spawnAs: {} };
  const entries = passwd()
    .split('\n')
    .map((line) => line.split(':'));
  const entry = ['postgres', 'nobody'].map((name) => entries.find((fields) => fields[0] === name)).find(Boolean);
  if (!entry) {
    throw new UserError(
      'PostgreSQL does not run as root, and user postgres does not exist. Create it: useradd --system postgres',
    );
  }
  const ids = { uid: Number(entry[2]), gid: Number(entry[3]) };
  return { ...ids, spawnAs: ids };
}

/** The environment of programs that run what an experiment says: the caller's PATH may lead anywhere. */
export const plainEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  HOME: '/nonexistent',
} as const;

/** How servers, and other programs that run what an experiment says, start. */
export interface Rights {
  /** What precedes their command. */
  prefix: readonly string[];
  /** Options for spawn, where no other program can change the user. */
  spawnAs: ServerUser['spawnAs'];
  /** Whether what they start could gain rights, by a setuid program such as sudo. */
  mayGain: boolean;
}

/**
 * Without the rights of root: as the servers' user, which SQL can use by COPY TO PROGRAM anyway. And unable to gain any,
 * by util-linux's setpriv. It executes the program in its own place, so that no other process is between the two, and
 * the id is the program's. Linux then gives no program on the way more rights, not even by file capabilities, so that
 * the bounding set, which a container may not change, does not matter.
 *
 * Without setpriv, Node.js changes the user. Only no_new_privs is missing then, as it is for the servers.
 */
export function reducedRights(): Promise<Rights> {
  return (known ??= findRights());
}

let known: Promise<Rights> | undefined;

async function findRights(): Promise<Rights> {
  const { uid, gid, spawnAs } = serverUser();
  const isAnother = spawnAs.uid !== undefined;
  if (!isAnother && cannotGain()) return { prefix: [], spawnAs, mayGain: false };
  const program = setprivs.find((one) => existsSync(one));
  if (program !== undefined) {
    const prefix = [
      program,
      ...(isAnother ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : []),
      ...['--no-new-privs', '--'],
    ];
    // That of BusyBox has other options, and a container may refuse the call.
    const tried = await runCommand([...prefix, '/bin/sh', '-c', ':'], {
      cwd: '/',
      environment: plainEnvironment,
      signal: AbortSignal.timeout(longestLookMs),
    }).catch(() => null);
    if (tried?.exitCode === 0) return { prefix, spawnAs: {}, mayGain: false };
  }
  return { prefix: [], spawnAs, mayGain: !cannotGain() };
}

const longestLookMs = 10_000;

/** The last one is that of NixOS. */
const setprivs = ['/usr/bin/setpriv', '/bin/setpriv', '/run/current-system/sw/bin/setpriv'];

/** Whether this process was already started so, as by systemd's NoNewPrivileges. */
function cannotGain(): boolean {
  return existsSync('/proc/self/status') && /^NoNewPrivs:\t1$/m.test(readFileSync('/proc/self/status', 'utf8'));
}
