import { expect, it } from 'vitest';
import {
  changedDefaults,
  hasColumn,
  isMeasurable,
  knowledgeOf,
  knownMajors,
  newerVersionWarning,
  supportedMajors,
} from '../../runner/postgres/versions/known.ts';
import { eventOf } from '../../runner/collect/wait-event-names.ts';
import { timeKindOf } from '../../runner/metrics/transaction-time.ts';

it('what is known follows from what each version changed', () => {
  expect(knownMajors.map(({ major }) => major)).toEqual([14, 15, 16, 17, 18, 19]);
  const defaultOf = (name: string) => knownMajors.map(({ parameters }) => parameters.get(name)?.boot_val ?? null);
  expect(defaultOf('jit')).toEqual(['on', 'on', 'on', 'on', 'on', 'off']);
  expect(defaultOf('log_lock_waits')).toEqual(['off', 'off', 'off', 'off', 'off', 'on']);
  expect(defaultOf('default_toast_compression')).toEqual(['pglz', 'pglz', 'pglz', 'pglz', 'pglz', 'lz4']);
  expect(defaultOf('io_workers')).toEqual([null, null, null, null, '3', null]);
  expect(changedDefaults()).toEqual(
    expect.arrayContaining(['jit', 'log_lock_waits', 'default_toast_compression', 'effective_io_concurrency']),
  );
});

it('a view has a column in the versions that have it, and in newer ones than are known if the newest known has it', () => {
  const having = (view: string, column: string) =>
    [...knownMajors.map(({ major }) => major), supportedMajors.last + 1].filter((major) =>
      hasColumn(major, view, column),
    );
  expect(having('pg_stat_wal', 'wal_fpi_bytes')).toEqual([19, 20]);
  expect(having('pg_stat_wal', 'wal_write')).toEqual([14, 15, 16, 17]);
  expect(having('pg_stat_bgwriter', 'checkpoints_timed')).toEqual([14, 15, 16]);
  expect(having('pg_stat_io', 'op_bytes')).toEqual([16, 17]);
});

it('the events of 18 have the kinds of time that they have in 19', () => {
  const [before, now] = [18, 19].map((major) => new Set([...knowledgeOf(major).waitEvents].map(eventOf)));
  const gone = [...(before ?? [])].filter((event) => now?.has(event) === false);
  expect(gone).toEqual(['LWLock:BufferContent']);
  const locks = ['Buffer:BufferShared', 'Buffer:BufferShareExclusive', 'Buffer:BufferExclusive'];
  expect(locks.every((event) => now?.has(event))).toBe(true);
  expect(new Set([...gone, ...locks].map(timeKindOf))).toEqual(new Set(['internalLocks']));
});

it('a newer version than the newest is measured with a warning that names what was not checked; one before the oldest is not', () => {
  expect(isMeasurable(supportedMajors.first - 1)).toBe(false);
  expect(isMeasurable(supportedMajors.last + 1)).toBe(true);
  expect(newerVersionWarning(['18.6', '19.1'])).toBeNull();
  expect(newerVersionWarning(['15', '20.1'], ['work_mem', 'brand_new'])).toBe(
    'PostgreSQL 20.1 is newer than pgduet knows (up to 19), and is measured as 19 would be. Trials name the wait events that 19 does not have. These parameters were not checked: brand_new.',
  );
});
