import { describe, expect, it } from 'vitest';
import { problemOf } from '../../../runner/workloads/own-data/psql.ts';

const failed = (stderr: string) => problemOf({ exitCode: 3, stdout: '', stderr }, 'load.sql made.sql', 'one')?.message;

describe('what psql says of a file', () => {
  it.each([
    ['ERROR', 'syntax error at or near "TABEL"', 'WARNING', 'LINE 1', 'LOCATION'],
    ['FEHLER', 'Syntaxfehler bei »TABEL«', 'WARNUNG', 'ZEILE 1', 'ORT'],
    ['ОШИБКА', 'ошибка синтаксиса (примерное положение: "TABEL")', 'ПРЕДУПРЕЖДЕНИЕ', 'СТРОКА 1', 'ПОЛОЖЕНИЕ'],
  ])('is understood in the language of the server: %s', (severity, words, warning, line, place) => {
    const stderr = [
      `psql:made.sql:1: ${warning}:  25001: there is already a transaction in progress`,
      `${place}:  BeginTransactionBlock, xact.c:3733`,
      `psql:made.sql:3: ${severity}:  42601: ${words}`,
      `${line}: CREATE TABEL a (id int);`,
      '               ^',
      `${place}:  scanner_yyerror, scan.l:1192`,
    ].join('\n');
    expect(failed(stderr)).toBe(
      `load.sql made.sql, line 3, on one: ${severity}: ${words}\n${line}: CREATE TABEL a (id int);\n               ^`,
    );
  });

  it('is the trouble of a server in any language, and not of the file', () => {
    expect(failed('psql:made.sql:3: FEHLER:  53100: konnte Datei nicht erweitern')).toBeUndefined();
    expect(failed('psql:made.sql:3: ERROR:  53100: could not extend file')).toBeUndefined();
  });

  it('has a remedy by its SQLSTATE in any language', () => {
    expect(failed('psql:made.sql:3: FEHLER:  42704: Rolle »x« existiert nicht')).toContain('--no-owner');
  });

  it('may be psql’s own', () => {
    expect(failed('psql:made.sql:2: error: unterminated quoted string')).toBe(
      'load.sql made.sql, line 2, on one: error: unterminated quoted string',
    );
  });
});
