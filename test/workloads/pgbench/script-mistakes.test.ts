import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hintOfSyntax, lineOfCommand } from '../../../runner/workloads/pgbench/script-mistakes.ts';

const script = `-- a comment; with a semicolon
\\set id random(1, 10)
BEGIN;
UPDATE stock SET amount = amount - 1
  WHERE item = :id AND note <> 'a; b';;
SELECT amount
  FROM stock WHERE item = :id \\gset
\\if :amount > 0
INSERT INTO sale VALUES (:id) \\; SELECT 1;
\\endif
END`;

describe('the line of a command', () => {
  it('is where pgbench sees it begin: statements and backslash commands count, comments and empty statements do not', () => {
    const lines = Array.from({ length: 8 }, (_, number) => lineOfCommand(script, number));
    expect(lines).toEqual([2, 3, 4, 6, 8, 9, 10, 11]);
    expect(lineOfCommand(script, 8)).toBeNull();
  });

  it('is right for any mixture of comments, statements and commands', () => {
    const pieces = {
      '-- note; here\n': false,
      'SELECT 1;\n': true,
      '\\set a 1\n': true,
      '\n': false,
      "SELECT '\n;';\n": true,
    };
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...(Object.keys(pieces) as (keyof typeof pieces)[]))), (parts) => {
        const expected = parts.flatMap((part, index) =>
          pieces[part] ? [parts.slice(0, index).join('').split('\n').length] : [],
        );
        const found = expected.map((_, number) => lineOfCommand(parts.join(''), number));
        expect(found).toEqual(expected);
        expect(lineOfCommand(parts.join(''), expected.length)).toBeNull();
      }),
    );
  });
});

describe('a hint', () => {
  it('names the variable that no command sets, and those that are set', () => {
    const errors = 'ERROR:  syntax error at or near ":"\nLINE 1: UPDATE stock SET amount = 1 WHERE item = :itm;\n';
    expect(hintOfSyntax(errors, script)).toBe(
      'No variable itm is set there: use \\set, or workload.variables. The script sets id.',
    );
  });

  it('asks for a semicolon where the next statement begins', () => {
    expect(hintOfSyntax('ERROR:  syntax error at or near "CREATE"\nLINE 3: CREATE TABLE b (i int);')).toMatch(
      /semicolon/,
    );
  });

  it('is given for nothing else', () => {
    for (const errors of [
      'ERROR:  syntax error at or near "TABEL"',
      'ERROR:  syntax error at or near ":"\nLINE 1: SELECT 1::;',
      '',
    ]) {
      expect(hintOfSyntax(errors, script)).toBeNull();
    }
  });
});
