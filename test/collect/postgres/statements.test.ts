import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costliestBetween, type StatementCounters } from '../../../runner/collect/postgres/statement-counters.ts';
import { isShown, shownText } from '../../../runner/collect/postgres/statement-texts.ts';
import { findingsOf } from '../../../runner/collect/postgres/statements.ts';

const counted = (queryId: string, calls: number, totalTime: number): StatementCounters => ({
  queryId,
  calls,
  totalTime,
  rows: calls,
  blocksRead: 1,
  blocksDirtied: 2,
  walBytes: 100 * calls,
  jitTime: 0,
});

describe('the costliest statements', () => {
  it('are those that took the most time in between, with what they did in it', () => {
    const before = [counted('1', 10, 50), counted('2', 5, 1), counted('4', 1, 9)];
    const after = [counted('1', 12, 51), counted('2', 105, 21), counted('3', 7, 3), counted('4', 1, 9)];
    expect(costliestBetween(before, after)).toEqual([
      { ...counted('2', 100, 20), blocksRead: 0, blocksDirtied: 0 },
      counted('3', 7, 3),
      { ...counted('1', 2, 1), blocksRead: 0, blocksDirtied: 0 },
    ]);
  });

  it('are not known if the counters began anew', () => {
    expect(costliestBetween([counted('1', 10, 50)], [counted('1', 3, 1)])).toContain('were reset during the trial');
  });

  it('are five at most, told with their texts and the mean time of a call', () => {
    const costliest = Array.from({ length: 7 }, (_, index) => counted(String(index), 4, 10 - index));
    const texts = new Map(costliest.map(({ queryId }) => [queryId, queryId === '0' ? 'VACUUM t' : 'SELECT\n  $1']));
    const { statements } = findingsOf(costliest, texts).facts ?? {};
    expect(statements?.map(({ queryId }) => queryId)).toEqual(['1', '2', '3', '4', '5']);
    expect(statements?.[0]).toMatchObject({ text: 'SELECT $1', totalTime: 9, meanTime: 2.25 });
  });

  it('say nothing of compiling in versions that do not time it, and this is named', () => {
    const { jitTime: _, ...untimed } = counted('1', 4, 10);
    const found = findingsOf(costliestBetween([], [untimed]) as StatementCounters[], new Map([['1', 'SELECT $1']]));
    expect(found.measures).toEqual({ 'statements.jitTime': null });
    expect(found.facts?.absent).toEqual({ statements: expect.stringContaining('compilation of statements') as string });
    expect(found.facts?.statements).toHaveLength(1);
  });

  it('say why there are none', () => {
    const reason = (text: string) => findingsOf([counted('1', 1, 1)], new Map([['1', text]])).facts?.absent;
    expect(reason('<insufficient privilege>')).toEqual({ statements: expect.stringContaining('pg_monitor') as string });
    expect(reason('VACUUM t')).toEqual({ statements: expect.stringContaining('no statement of the load') as string });
  });
});

describe('the text of a statement', () => {
  it.each([
    'UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2',
    '/* of mine */ -- and\n  (SELECT $1) UNION SELECT $2',
    'with x as (select $1) insert into t select * from x',
    'END',
    'START TRANSACTION',
  ])('%s is shown', (text) => {
    expect(isShown(text)).toBe(true);
  });

  it.each([
    "ALTER ROLE a PASSWORD 'secret'",
    "CREATE USER MAPPING FOR a SERVER s OPTIONS (password 'secret')",
    "/* SELECT */ ALTER ROLE a PASSWORD 'secret'",
    "COPY t FROM PROGRAM 'x'",
    'DO $$ BEGIN END $$',
    'EXPLAIN SELECT 1',
    'selection',
    '<insufficient privilege>',
    'SELECT stats_reset FROM pg_stat_database WHERE datname = $1',
    '',
  ])('%s is not', (text) => {
    expect(isShown(text)).toBe(false);
  });

  it('is one line of at most 300 characters, without any quoted constant', () => {
    expect(shownText("SELECT  'it''s'\n, $1")).toBe("SELECT '…' , $1");
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), fc.string(), (text, secret) => {
        const shown = shownText(text);
        expect(shown.length).toBeLessThanOrEqual(300);
        expect(shown).not.toMatch(/[\n\t]/);
        const quoted = `'${secret.replaceAll("'", "''")}x-secret'`;
        expect(shownText(`SELECT ${quoted}`)).not.toContain('x-secret');
      }),
    );
  });
});
