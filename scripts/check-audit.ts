import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { judgeAudit } from './audit/judge-audit.ts';

/** Asks the registry for known weaknesses of all packages. Fails on a high one. */
const { stdout } = spawnSync('npm', ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=30000'], {
  cwd: path.resolve(import.meta.dirname, '..'),
  encoding: 'utf8',
  timeout: 60_000,
});
const { lines, failed } = judgeAudit(stdout);
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = failed ? 1 : 0;
