import { readFileSync } from 'node:fs';
import { UserError } from '../../contract/errors.ts';

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
      'PostgreSQL does not run as root, and there is no user postgres. Create one: useradd --system postgres',
    );
  }
  const ids = { uid: Number(entry[2]), gid: Number(entry[3]) };
  return { ...ids, spawnAs: ids };
}
