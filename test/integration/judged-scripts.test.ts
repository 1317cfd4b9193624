import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { findPostgresBinaries } from '../../runner/places/local/choose-binaries.ts';
import { runCommand } from '../../runner/process/run-command.ts';
import { splitScript } from '../../runner/workloads/pgbench/script-text.ts';
import { syntaxProblems } from '../../runner/workloads/pgbench/script-syntax.ts';

/** An expression, mostly right. */
const { expression } = fc.letrec<{ expression: string; operand: string }>((tie) => ({
  operand: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      '1',
      '2.5',
      '.5',
      '1e3',
      ':a',
      ':scale',
      'null',
      'true',
      'FALSE',
      'pi()',
      'random(1, 5)',
      'abs(:a)',
    ),
    fc.constantFrom(
      '1.',
      '1e',
      ':',
      'a',
      'rand(1)',
      'random(1)',
      'pi',
      'hash(1, 2, 3)',
      'permute(1, 2)',
      '()',
      '99999999999999999999',
    ),
    tie('expression').map((inner) => `(${inner})`),
    tie('expression').map((inner) => `-${inner}`),
    tie('expression').map((inner) => `not ${inner}`),
    fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => `case when ${one} then ${other} end`),
    fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => `greatest(${one}, ${other})`),
  ),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('operand'),
    tie('operand'),
    fc
      .tuple(
        tie('operand'),
        fc.constantFrom(
          '+',
          '-',
          '*',
          '/',
          '%',
          '=',
          '<',
          '<=',
          '<>',
          '!=',
          '|',
          '&',
          '#',
          '<<',
          'and',
          'or',
          '',
          ',',
          '==',
        ),
        tie('operand'),
      )
      .map((parts) => parts.join(' ')),
    tie('operand').map((inner) => `${inner} is not null`),
    tie('operand').map((inner) => `${inner} isnull`),
  ),
}));

const command = fc.oneof(
  { weight: 6, arbitrary: expression.map((text) => `\\set a ${text}`) },
  expression.map((text) => `\\if ${text}\nSELECT 1;\n\\endif`),
  fc.constantFrom(
    '\\sleep 1 ms',
    '\\sleep 10us',
    '\\sleep 1 min',
    '\\sleep :a s',
    '\\sleep',
    '\\sleep 1 2 3',
    '\\sleep 1.5ms',
  ),
  fc.constantFrom(
    '\\set',
    '\\set a',
    '\\sett a 1',
    '\\else',
    '\\endif',
    '\\if 1',
    '\\endif x',
    '\\SET b 1',
    '\\shell (',
  ),
);

test('the judgement about a script is that of pgbench', async () => {
  const { folder } = await findPostgresBinaries({
    environment: process.env,
    signal: new AbortController().signal,
    needed: 'server',
  });
  const files = mkdtempSync(path.join(tmpdir(), 'scripts-'));
  onTestFinished(() => rmSync(files, { recursive: true }));
  const file = path.join(files, 'one.sql');
  const disagreements: string[] = [];
  let refused = 0;
  for (const text of fc.sample(command, { numRuns: 400, seed: 32 }).map((one) => `SELECT 2;\n${one}\n`)) {
    writeFileSync(file, text);
    // There is no server: pgbench reads its scripts before it connects.
    const { stderr } = await runCommand([path.join(folder, 'pgbench'), '-n', '-f', file, 'host=/dev/null'], {
      environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
      signal: AbortSignal.timeout(10_000),
    });
    const isTaken = stderr.includes('connection to server');
    refused += isTaken ? 0 : 1;
    const problems = syntaxProblems(text, splitScript(text));
    if (isTaken !== (problems.length === 0))
      disagreements.push(`${text}pgbench: ${stderr.slice(0, 300)}\nwe: ${JSON.stringify(problems)}`);
  }
  expect(disagreements).toEqual([]);
  expect(refused).toBeGreaterThan(50);
  expect(refused).toBeLessThan(350);
});
