import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { appendTo, type LedgerFiles, ledgerFiles, type NewEntry, readLedger } from '../../runner/storage/ledger.ts';
import { startsIn } from '../../runner/run/starts.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const question = { id: '0123456789abcdef', asks: 'tps of on against off' };
const at = '2026-11-21T12:00:00.000Z';
const opened = (start: number, share = 0.5): NewEntry => ({
  kind: 'opened',
  at,
  start,
  blocks: 6,
  level: 0.96875,
  share,
  asks: question.asks,
});
const begun = (start: number): NewEntry => ({ kind: 'block-begun', at, start, block: 1, attempt: 1 });

let files: LedgerFiles;
let state = '';
beforeEach(() => {
  const folder = temporaryFolder();
  state = path.join(folder, 'state');
  mkdirSync(path.join(folder, 'results'));
  files = ledgerFiles(path.join(folder, 'results'), question, { XDG_STATE_HOME: state });
});

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const copyOf = ({ copy }: LedgerFiles): string => copy ?? '';

describe('a ledger of starts', () => {
  test('is written twice, each line with the hash of the line before', async () => {
    await appendTo(files, opened(1));
    const { hash } = await appendTo(files, begun(1));
    const [first = '', second = ''] = linesOf(files.own);
    expect(JSON.parse(second)).toMatchObject({ previous: createHash('sha256').update(first).digest('hex') });
    expect(hash).toBe(createHash('sha256').update(second).digest('hex'));
    expect(readFileSync(copyOf(files), 'utf8')).toBe(readFileSync(files.own, 'utf8'));
    expect(readLedger(files)).toMatchObject({ notes: [], entries: [{ kind: 'opened' }, { kind: 'block-begun' }] });
  });

  test('has no copy where nothing says where a user keeps state, and ignores a relative path', () => {
    expect(ledgerFiles('/r', question, {}).copy).toBeNull();
    expect(ledgerFiles('/r', question, { XDG_STATE_HOME: 'here' }).copy).toBeNull();
    expect(ledgerFiles('/r', question, { XDG_STATE_HOME: 'here', HOME: '/home/a' }).copy).toBe(
      `/home/a/.local/state/pgduet/starts-${question.id}.jsonl`,
    );
  });

  test('counts what a results folder that was removed had, and says so', async () => {
    await appendTo(files, opened(1));
    await appendTo(files, begun(1));
    rmSync(files.own);
    expect(readLedger(files).entries).toHaveLength(2);
    expect(readLedger(files).notes).toEqual([
      `Only ${copyOf(files)} lists earlier runs of this question, and ${files.own} has none.`,
    ]);
    await appendTo(files, opened(2));
    expect(linesOf(files.own)).toHaveLength(3);
    expect(readLedger(files).notes).toEqual([]);
  });

  test('links the results of one user in several folders', async () => {
    await appendTo(files, opened(1));
    const elsewhere = path.join(path.dirname(path.dirname(files.own)), 'elsewhere');
    mkdirSync(elsewhere);
    const other = ledgerFiles(elsewhere, question, { XDG_STATE_HOME: state });
    await appendTo(other, opened(2));
    expect(readLedger(files).entries.map(({ start }) => start)).toEqual([1, 2]);
    expect(readLedger(files).notes[0]).toContain('The longer list counts.');
  });

  test('of another question does not count, however long, and takes nothing from the other copy', async () => {
    await appendTo(files, opened(1, 0.625));
    const kept = readFileSync(copyOf(files), 'utf8');
    const foreign = {
      ...ledgerFiles(path.dirname(files.own), { id: '0', asks: 'tps of 1 against 2' }, {}),
      copy: null,
    };
    for (const start of [1, 2]) await appendTo(foreign, { ...opened(start, 0), asks: foreign.asks } as NewEntry);
    writeFileSync(files.own, readFileSync(foreign.own));
    const { entries, notes } = readLedger(files);
    expect(startsIn(entries).spent).toBe(0.625);
    expect(notes[0]).toBe(`${files.own} is ignored: it lists runs of another question.`);
    await appendTo(files, begun(1));
    expect(readFileSync(copyOf(files), 'utf8')).toContain(kept);
    expect(readFileSync(files.own, 'utf8')).toBe(readFileSync(copyOf(files), 'utf8'));
  });

  test('that differs from its copy is charged for the starts of both, which the next entry joins', async () => {
    await appendTo(files, opened(1, 0.1));
    const before = readFileSync(files.own, 'utf8');
    for (const entry of [begun(1), opened(2, 0.2), begun(2)]) await appendTo(files, entry);
    writeFileSync(files.own, before);
    const alone = { ...files, copy: null };
    for (const start of [2, 3, 4, 5]) await appendTo(alone, opened(start, 0.01));
    const { entries, notes } = readLedger(files);
    expect(startsIn(entries)).toEqual({
      opened: 6,
      outcomes: ['cut-off', 'unknown', 'unknown', 'unknown', 'unknown', 'cut-off'],
      spent: expect.closeTo(0.1 + 0.2 + 4 * 0.01, 12) as number,
    });
    expect(notes).toEqual([`${files.own} and ${copyOf(files)} list different runs of this question. All count.`]);
    await appendTo(files, opened(7));
    expect(readLedger(files)).toMatchObject({ notes: [] });
    expect(readLedger(files).entries).toHaveLength(entries.length + 1);
    expect(readFileSync(files.own, 'utf8')).toBe(readFileSync(copyOf(files), 'utf8'));
  });

  test('ignores a last line that was cut off, and says so', async () => {
    await appendTo(files, opened(1));
    appendFileSync(files.own, '{"kind":"block-be');
    appendFileSync(copyOf(files), '{"kind":"block-be');
    const { entries, notes } = readLedger(files);
    expect(entries).toHaveLength(1);
    expect(notes[0]).toBe(`${files.own}: 1 of 2 lines are ignored, because its last line is truncated.`);
    await appendTo(files, begun(1));
    expect(linesOf(files.own)).toHaveLength(2);
  });

  test('counts only up to a line that was changed, besides what its copy has', async () => {
    for (const entry of [opened(1), begun(1), opened(2)]) await appendTo(files, entry);
    writeFileSync(files.own, readFileSync(files.own, 'utf8').replace('"share":0.5', '"share":0.0'));
    const { entries, notes } = readLedger(files);
    expect(entries).toHaveLength(4);
    expect(startsIn(entries).spent).toBe(1);
    expect(notes.join(' ')).toContain('2 of 3 lines are ignored, because it was damaged or changed');
    expect(readLedger({ ...files, copy: null }).entries).toHaveLength(1);
  });

  test('is not followed through a link, and never keeps a run from starting', async () => {
    const target = path.join(state, '..', 'target');
    writeFileSync(target, 'not ours');
    symlinkSync(target, files.own);
    expect(readLedger({ ...files, copy: null })).toMatchObject({
      entries: [],
      notes: [expect.stringContaining('is a symbolic link')],
    });
    const { problems } = await appendTo(files, opened(1));
    expect(problems[0]).toContain('symbolic link');
    expect(readFileSync(target, 'utf8')).toBe('not ours');
    expect(readLedger(files).entries).toHaveLength(1);
  });

  test('goes on with one copy if the other cannot be written', async () => {
    writeFileSync(state, 'a file where the folder should be');
    const { problems } = await appendTo(files, opened(1));
    expect(problems.join(' ')).toContain(state);
    expect(linesOf(files.own)).toHaveLength(1);
    await expect(appendTo({ ...files, own: path.join(state, 'x'), copy: null }, opened(1))).rejects.toThrow(
      'The list of runs cannot be written.',
    );
  });

  test('keeps every line of experiments that ask the same at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => appendTo(files, begun(index + 1))));
    const starts = readLedger(files).entries.map(({ start }) => start);
    expect(starts.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('takes nothing from a folder that others may redirect', async () => {
    mkdirSync(state);
    chmodSync(state, 0o777);
    const { problems } = await appendTo(files, opened(1));
    expect(problems.join(' ')).toContain('can be written by other users');
  });
});

describe('the starts in a ledger', () => {
  const chained = (entries: readonly NewEntry[]) => entries.map((entry) => ({ previous: null, ...entry }));
  const ended = (start: number, outcome: 'inconclusive' | 'not-begun'): NewEntry => ({
    kind: 'ended',
    at,
    start,
    outcome,
  });

  test('stay charged however they ended, unless no block began', () => {
    const found = startsIn(
      chained([
        opened(1),
        begun(1),
        ended(1, 'inconclusive'),
        opened(2, 0.2),
        begun(2),
        opened(3, 0.1),
        ended(3, 'not-begun'),
        opened(4, 0.1),
      ]),
    );
    expect(found).toMatchObject({ opened: 4, outcomes: ['inconclusive', 'cut-off', 'unknown'] });
    expect(found.spent).toBeCloseTo(0.8, 12);
  });

  test('stay charged if a block began, although a line says that none did', () => {
    const found = startsIn(chained([opened(1), begun(1), ended(1, 'not-begun')]));
    expect(found).toEqual({ opened: 1, outcomes: ['cut-off'], spent: 0.5 });
  });
});
