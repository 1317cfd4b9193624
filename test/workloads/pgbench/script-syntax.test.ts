import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitScript } from '../../../runner/workloads/pgbench/script-text.ts';
import { syntaxProblems } from '../../../runner/workloads/pgbench/script-syntax.ts';

const problemsOf = (text: string) =>
  syntaxProblems(text, splitScript(text)).map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('the commands of a script', () => {
  it.each([
    ['\\set aid random(1, 100000 * :scale)\nSELECT 1;\n'],
    ['\\set a -:b % 7 + abs(- 3) * .5e3 << 2 | 1 # 4\nSELECT 1;\n'],
    ['\\set a CASE WHEN :b < 3 AND NOT :c = 2 THEN 1 WHEN :d IS NOT NULL THEN 2 ELSE pi() END\nSELECT 1;\n'],
    ['\\set a greatest(1, 2, \\\n  hash(:b), hash(:b, 2))\nSELECT 1;\n'],
    ['\\set a :b ISNULL OR (:c <> 2) IS TRUE\n\\SLEEP 10ms\n\\sleep :a us\n\\sleep 3\nSELECT 1;\n'],
    ['\\if :a\nSELECT 1;\n\\elif false\nSELECT 2;\n\\else\n\\if 1\n\\endif\n\\endif\n'],
    ['SELECT 1 \\gset p_\nSELECT 2 \\; SELECT 3 \\aset\n\\startpipeline\nSELECT 1;\n\\endpipeline\n'],
    ['\\shell any thing ( here\n\\setshell x echo (\nSELECT 1;\n'],
    ["-- \\set in a comment (\nSELECT '\\set (';\n"],
  ])('are fine: %j', (text) => expect(problemsOf(text)).toEqual([]));

  it.each([
    ['\\set aid randm(1, 5)\nSELECT 1;\n', '1:10 pgbench has no function randm'],
    ['SELECT 1;\n\\set bid random(1\n', '2:18 expected ) before the end of the line'],
    ['\\set bid random(1)\nSELECT 1;\n', '1:10 random takes 2 arguments; found 1'],
    ['\\set a permute(1, 2, 3, 4)\nSELECT 1;\n', '1:8 permute takes 2 or 3 arguments; found 4'],
    ['\\set a least()\nSELECT 1;\n', '1:8 least takes at least 1 arguments; found 0'],
    ['\\set a 1 +\nSELECT 1;\n', '1:11 \\set: did not expect the end of the line'],
    ['\\set a 1;\nSELECT 1;\n', '1:9 did not expect ";"'],
    ['\\set a scale * 2\nSELECT 1;\n', '1:8 \\set: did not expect "scale"; for the value of a variable, write :scale'],
    ['\\set a 1 < 2 < 3\nSELECT 1;\n', '1:14 \\set: did not expect "<"'],
    ['\\set a CASE 1 THEN 2 END\nSELECT 1;\n', '1:13 expected when before "1"'],
    ['\\set a 9223372036854775809\nSELECT 1;\n', '1:8 9223372036854775809 is more than a bigint holds'],
    ['\\set a.b 1\nSELECT 1;\n', '1:6 "a.b" is not the name of a variable: expected letters, digits and _'],
    ['\\set\nSELECT 1;\n', '1:1 \\set needs the name of a variable and an expression, such as \\set aid 1'],
    ['\\set a\nSELECT 1;\n', '1:7 \\set needs an expression'],
    ['\\sleep\nSELECT 1;\n', '1:1 \\sleep takes a number and a unit, such as \\sleep 10 ms'],
    ['\\sleep 5 minutes\nSELECT 1;\n', '1:1 \\sleep: "minutes" is not a unit; expected us, ms or s'],
    ['SELECT 1;\n  \\endif\n', '2:3 \\endif has no \\if before it'],
    ['\\if 1\n\\else\n\\else\n\\endif\nSELECT 1;\n', '3:1 \\else comes after \\else'],
    ['\\if 1\nSELECT 1;\n', '1:1 \\if has no \\endif'],
    ['\\endif now\nSELECT 1;\n', '1:1 \\endif takes nothing after it; found "now"'],
    ['-- nothing\n', '1:1 the script is empty, which pgbench refuses; write a transaction, or leave it out'],
  ])('are refused with their place: %j', (text, message) => expect(problemsOf(text)).toEqual([message]));

  it('are each read, although another one is wrong', () => {
    expect(problemsOf('\\sett a 1\n\\set b (\nSELECT 1;\n\\slep 3\n')).toHaveLength(3);
  });

  it('never make the reader fail, whatever they are', () => {
    const parts = fc.constantFrom(
      ...[
        '\\set ',
        '\\if ',
        '\\endif',
        '\n',
        ' a',
        ' :a',
        ' 1',
        '(',
        ')',
        ',',
        '+',
        '-',
        ' case',
        ' when',
        ' then',
        ' end',
      ],
      ...[' is', ' not', ' null', 'random', '\\\n', "'", '"', '$$', '--', ';', '\\', 'é'],
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (texts) => {
        for (const { line, column } of syntaxProblems(texts.join(''), splitScript(texts.join('')))) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
        }
      }),
    );
  });
});
