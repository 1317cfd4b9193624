import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Result } from '../../runner/contract/result.ts';
import { reasonsInWords } from '../../runner/contract/withheld.ts';
import { commandLine } from '../helpers/processes/command-line.ts';
import { accountOf } from './account.ts';
import { faultsOf, planted, type Planted } from './causes.ts';
import { unseen, type Unseen } from './unseen.ts';

/**
 * `npm run lab -- causes [--unseen] [NAME...]`: runs experiments that were made to be slow for known reasons, and some without any
 * effect, on this machine. The explanation must name every planted cause and no other mechanism. With `--unseen`, it runs those
 * that the explanation was not made for, and prints what it says of each for people to judge. As root, since some of them need
 * volumes of limited IOPS, and on a machine that does nothing else. Each set takes about half an hour.
 */
const { values, positionals } = parseArgs({ options: { unseen: { type: 'boolean' } }, allowPositionals: true });
const causes = Object.keys(values.unseen ? unseen : planted);
const unknown = positionals.filter((name) => !causes.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no cause ${unknown.join(', ')}; there are: ${causes.join(', ')}.\n`);
  process.exitCode = 2;
} else {
  const chosen = causes.filter((name) => positionals.length === 0 || positionals.includes(name));
  let wrong = 0;
  for (const [index, name] of chosen.entries()) {
    process.stderr.write(`${index + 1} of ${chosen.length}: ${name}\n`);
    const startedAt = Date.now();
    const result = await resultOf(name);
    const took = `${name} (${((Date.now() - startedAt) / 1000).toFixed(0)} s)`;
    const [cause, blind] = [planted[name], unseen[name]];
    if (cause) wrong += isNamed(took, cause, result) ? 0 : 1;
    if (blind) process.stdout.write(`${took}\n${askedOf(blind)}${accountOf(result)}\n`);
  }
  if (!values.unseen)
    process.stdout.write(`${chosen.length - wrong} of ${chosen.length} explained by what was planted\n`);
  process.exitCode = wrong > 0 ? 1 : 0;
}

async function resultOf(name: string): Promise<Result> {
  const results = mkdtempSync(path.join(tmpdir(), 'pgduet-cause-'));
  const file = path.join(import.meta.dirname, `experiments/${name}.yaml`);
  try {
    const { exitCode, stderr } = await commandLine(['load-run', file, '--local', '--out', results], {
      cwd: import.meta.dirname,
      temporary: tmpdir(),
    }).ended;
    if (exitCode !== 0) throw new Error(`${name} ended with exit code ${exitCode ?? '?'}:\n${stderr}`);
    return JSON.parse(readFileSync(path.join(results, name, 'latest/result.json'), 'utf8')) as Result;
  } finally {
    rmSync(results, { recursive: true });
  }
}

/** Says what the explanation names, and returns whether that is what was planted. */
function isNamed(took: string, cause: Planted, result: Result): boolean {
  const faults = faultsIn(result, cause);
  process.stdout.write(
    `${faults.length === 0 ? 'right' : 'WRONG'}  ${took}: ${wordsFor(result)}${faults.map((fault) => `; ${fault}`).join('')}\n`,
  );
  return faults.length === 0;
}

/** What a judge compares the account of an unseen cause with. */
function askedOf({ planted: what, rootCause, time, falseCauses }: Unseen): string {
  return `  planted: ${what}
  only this may be named as the cause: ${rootCause}
  its time: ${time.join(', ')}
  false would be: ${falseCauses.join('; ')}
`;
}

function faultsIn({ explanations = [], comparisons }: Result, cause: Planted): string[] {
  const withheld = comparisons.find(({ primary }) => primary)?.withheld ?? [];
  // Without a verdict, nothing was explained: that says nothing of the world without an effect either.
  if (withheld.length > 0) return [`the verdict is withheld: ${reasonsInWords(withheld)}`];
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
      return `${name} (${((share ?? NaN) * 100).toFixed(0)}%)`;
    }),
  );
  return `${primary?.verdict ?? 'no verdict'} (${change}%), named: ${named.join(', ') || 'nothing'}`;
}
