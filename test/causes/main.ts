import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Result } from '../../runner/contract/result.ts';
import { commandLine } from '../helpers/processes/command-line.ts';

/**
 * `npm run causes -- [NAME...]`: runs experiments that were made to be slow for a known reason, and two without any effect, on
 * this machine. The explanation must name that reason first, and nothing where there is no effect. As root, since some of them
 * need volumes of limited IOPS. It takes about two minutes for each.
 */
const causes: Record<string, string | null> = {
  'small-max-wal-size': 'checkpoint-pressure',
  'hot-row': 'lock-bound',
  'saturated-driver': 'driver-bound',
  'log-volume-at-its-limit': 'wal-flush',
  'slow-standby': 'synchronous-replication',
  'nothing-at-the-processor': null,
  'nothing-at-the-volume': null,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in causes));
if (unknown.length > 0) {
  process.stderr.write(`There is no cause ${unknown.join(', ')}; there are: ${Object.keys(causes).join(', ')}.\n`);
  process.exitCode = 2;
} else {
  let wrong = 0;
  for (const name of asked.length > 0 ? asked : Object.keys(causes)) wrong += (await isNamed(name)) ? 0 : 1;
  process.exitCode = wrong > 0 ? 1 : 0;
}

/** Runs one experiment, says what its explanation names, and returns whether that is the cause. */
async function isNamed(name: string): Promise<boolean> {
  const results = mkdtempSync(path.join(tmpdir(), 'pgduet-cause-'));
  const file = path.join(import.meta.dirname, `experiments/${name}.yaml`);
  try {
    const { exitCode, stderr } = await commandLine(['load-run', file, '--local', '--out', results], {
      cwd: import.meta.dirname,
      temporary: tmpdir(),
    }).ended;
    if (exitCode !== 0) throw new Error(`${name} ended with exit code ${exitCode ?? '?'}:\n${stderr}`);
    const result = JSON.parse(readFileSync(path.join(results, name, 'latest/result.json'), 'utf8')) as Result;
    const primary = result.comparisons.find((comparison) => comparison.primary);
    const named = result.explanations?.flatMap(({ mechanisms }) => mechanisms) ?? [];
    const first = named[0]?.standing === 'contradicted' ? null : (named[0]?.name ?? null);
    const right = first === causes[name];
    const change = ((primary?.change ?? NaN) * 100).toFixed(0);
    const all = named.map((one) => `${one.name} (${one.standing}, ${((one.accountsFor ?? NaN) * 100).toFixed(0)} %)`);
    process.stdout.write(
      `${right ? 'right' : 'WRONG'}  ${name}: ${primary?.verdict ?? 'no verdict'} (${change} %), named: ${all.join(', ') || 'nothing'}\n`,
    );
    return right;
  } finally {
    rmSync(results, { recursive: true });
  }
}
