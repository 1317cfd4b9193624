import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Result } from '../../runner/contract/result.ts';
import { commandLine } from '../helpers/processes/command-line.ts';
import { faultsOf, planted, type Planted } from './causes.ts';

/**
 * `npm run lab -- causes [NAME...]`: runs experiments that were made to be slow for known reasons, and some without any effect, on
 * this machine. The explanation must name every planted cause and no other mechanism. As root, since some of them need volumes
 * of limited IOPS, and on a machine that does nothing else. All of them take about half an hour.
 */
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in planted));
if (unknown.length > 0) {
  process.stderr.write(`There is no cause ${unknown.join(', ')}; there are: ${Object.keys(planted).join(', ')}.\n`);
  process.exitCode = 2;
} else {
  const chosen = Object.entries(planted).filter(([name]) => asked.length === 0 || asked.includes(name));
  let wrong = 0;
  for (const [index, [name, cause]] of chosen.entries()) {
    process.stderr.write(`${index + 1} of ${chosen.length}: ${name}\n`);
    wrong += (await isNamed(name, cause)) ? 0 : 1;
  }
  process.stdout.write(`${chosen.length - wrong} of ${chosen.length} explained by what was planted\n`);
  process.exitCode = wrong > 0 ? 1 : 0;
}

/** Runs one experiment, says what its explanation names, and returns whether that is what was planted. */
async function isNamed(name: string, cause: Planted): Promise<boolean> {
  const results = mkdtempSync(path.join(tmpdir(), 'pgduet-cause-'));
  const file = path.join(import.meta.dirname, `experiments/${name}.yaml`);
  const startedAt = Date.now();
  try {
    const { exitCode, stderr } = await commandLine(['load-run', file, '--local', '--out', results], {
      cwd: import.meta.dirname,
      temporary: tmpdir(),
    }).ended;
    if (exitCode !== 0) throw new Error(`${name} ended with exit code ${exitCode ?? '?'}:\n${stderr}`);
    const result = JSON.parse(readFileSync(path.join(results, name, 'latest/result.json'), 'utf8')) as Result;
    const faults = faultsIn(result, cause);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
    process.stdout.write(
      `${faults.length === 0 ? 'right' : 'WRONG'}  ${name} (${seconds} s): ${wordsFor(result)}${faults.map((fault) => `; ${fault}`).join('')}\n`,
    );
    return faults.length === 0;
  } finally {
    rmSync(results, { recursive: true });
  }
}

function faultsIn({ explanations = [], comparisons }: Result, cause: Planted): string[] {
  const withheld = comparisons.find(({ primary }) => primary)?.withheld ?? [];
  // Without a verdict, nothing was explained: that says nothing of the world without an effect either.
  if (withheld.length > 0) return [`the verdict is withheld: ${withheld.join('; ')}`];
  return faultsOf(
    explanations.flatMap(({ mechanisms }) => mechanisms.map(({ name }) => name)),
    cause,
  );
}

function wordsFor({ comparisons, explanations = [] }: Result): string {
  const primary = comparisons.find((comparison) => comparison.primary);
  const change = ((primary?.change ?? NaN) * 100).toFixed(0);
  const named = explanations.flatMap(({ mechanisms, time }) =>
    mechanisms.map(({ name, kind }) => {
      const { share = null } = time.find((one) => one.kind === kind) ?? {};
      return `${name} (${((share ?? NaN) * 100).toFixed(0)} %)`;
    }),
  );
  return `${primary?.verdict ?? 'no verdict'} (${change} %), named: ${named.join(', ') || 'nothing'}`;
}
