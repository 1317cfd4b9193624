import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineOfCommand, semicolonHint, variableHint } from '../../../runner/workloads/pgbench/script-mistakes.ts';

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
  it('is where pgbench sees it begin: statements, even empty ones, and backslash commands count, comments do not', () => {
    const lines = Array.from({ length: 9 }, (_, number) => lineOfCommand(script, number));
    expect(lines).toEqual([2, 3, 4, 5, 6, 8, 9, 10, 11]);
    expect(lineOfCommand(script, 9)).toBeNull();
  });

  it('is not told where pgbench counts otherwise', () => {
    for (const other of [
      '/* note */',
      'DO $$BEGIN PERFORM 1; END$$;',
      '\\set a 1 + \\\n 2',
      'BEGIN ATOMIC SELECT 1; END;',
    ]) {
      expect(lineOfCommand(`${other}\nSELECT 1;`, 0)).toBeNull();
    }
  });

  it('is right for any mixture of comments, statements and commands', () => {
    const pieces = {
      '-- note; here\n': false,
      'SELECT 1;\n': true,
      '\\set a 1\n': true,
      '\n': false,
      "SELECT '\n;';\n": true,
      ';\n': true,
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
  /** What a server says of a line, in which the error is at `at`. */
  const saying = (word: string, line: string, at: string, number = 3): string => {
    const label = `LINE ${number}: `;
    return `ERROR:  syntax error at or near "${word}"\n${label}${line}\n${' '.repeat(label.length + line.indexOf(at))}^`;
  };
  const missing = saying(':', 'UPDATE stock SET amount = 1 WHERE item = :itm;', ':itm', 1);

  it('names the variable that has no value, and those that the script sets', () => {
    expect(variableHint(missing, script)).toBe(
      'Variable itm is not set: use \\set, or workload.variables. The script sets id.',
    );
    expect(variableHint(missing, 'SELECT 1;')).toMatch(/workload\.variables\.$/);
    expect(variableHint(saying(':', 'SELECT 1::;', ':;'), script)).toBeNull();
    expect(variableHint(saying(':', "SELECT ':b', :c;", ':c'), script)).toMatch(/^Variable c /);
    expect(variableHint(saying(':', "SELECT ':v', :a :;", ':;'), script)).toBeNull();
    expect(variableHint('ERROR:  division by zero', script)).toBeNull();
  });

  it('asks for a semicolon only where a line begins as a statement does', () => {
    const near = (word: string, line: string, number?: number): string | null =>
      semicolonHint(saying(word, line, word, number));
    expect(near('CREATE', 'CREATE TABLE b (i int);')).toMatch(/semicolon/);
    expect(near('insert', '  insert into b values (1);')).toMatch(/semicolon/);
    expect(near('SELECT', '... WHERE item = SELECT max(item)')).toBeNull();
    expect(near('TABEL', 'TABEL b;')).toBeNull();
    expect(near('SELECT', 'SELECT 1;', 1)).toBeNull();
    expect(semicolonHint(saying('SELECT', 'SELECT SELECT 1;', ' SELECT'))).toBeNull();
    expect(near('SELECT', 'SELECT 1);')).toBeNull();
    expect(near('END', 'END int);')).toBeNull();
    expect(semicolonHint(missing)).toBeNull();
  });
});
