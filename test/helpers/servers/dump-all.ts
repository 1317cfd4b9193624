import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { serverUser } from '../../../runner/process/rights.ts';
import type { LocalCluster } from './local-cluster.ts';

/** All that a server holds: databases with their contents, roles, settings. */
export function dumpAll({ target, programs }: LocalCluster): string {
  const { uid, gid } = serverUser();
  const text = execFileSync(
    path.join(programs, 'pg_dumpall'),
    ['-h', target.host, '-p', String(target.port), '-U', target.user, '--no-password'],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env: { ...process.env, ...target.environment },
      ...(process.getuid?.() === 0 ? {} : { uid, gid }),
    },
  );
  // From 15.14 on, with its own key for each dump.
  return text.replaceAll(/^\\(un)?restrict .*$/gm, '');
}
