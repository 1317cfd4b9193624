import { warningMeanings } from '../../runner/contract/warnings.ts';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { failureOf, PartError, UserError } from '../../runner/contract/errors.ts';
import { type FailureCode, failureMeanings } from '../../runner/contract/failures.ts';
import type { Meaning } from '../../runner/contract/meaning.ts';
import { probes } from '../../runner/contract/probes.ts';
import { problemRules } from '../../runner/contract/problem-rules.ts';
import { stopMeanings } from '../../runner/contract/stop.ts';
import { findingMeanings } from '../../runner/contract/verification.ts';
import { withheldMeanings } from '../../runner/contract/withheld.ts';
import { CommandError } from '../../runner/process/run-command.ts';
import { LimitReached } from '../../runner/run/time-limit.ts';

const systemError = (code: string, more: object): Error => Object.assign(new Error(code), { code, ...more });
const serverError = (code: string): Error =>
  Object.assign(new pg.DatabaseError('', 0, 'error'), { severity: 'FATAL', code });
const printed = (stderr: string): Error => new CommandError(['psql'], { exitCode: 1, stdout: '', stderr });
const open = { syscall: 'open', path: '/results', errno: -2 };

const failed: [what: string, error: unknown, code: FailureCode][] = [
  ['what whoever threw it says', new PartError('it hangs', 'no-answer'), 'no-answer'],
  ['what caused it', new UserError('remedy', { cause: new PartError('it hangs', 'no-answer') }), 'no-answer'],
  [
    'the outer code before the inner one',
    new PartError('', { failure: 'volume-failed', cause: systemError('EIO', open) }),
    'volume-failed',
  ],
  ['a part without one, by its cause', new PartError('', { cause: serverError('57014') }), 'server-error'],
  ['a limit', new LimitReached('limits.hours: 1'), 'limit-reached'],
  ['a full disk of the system', systemError('ENOSPC', open), 'disk-full'],
  ['another trouble with a file', systemError('EROFS', open), 'file-error'],
  ['a program that is not there', systemError('ENOENT', { syscall: 'spawn pgbench' }), 'program-failed'],
  ['a refused connection', systemError('ECONNREFUSED', { syscall: 'connect', address: '::1' }), 'connection-lost'],
  ['a driver without a network', systemError('ENETUNREACH', { syscall: 'connect', address: '::1' }), 'no-network'],
  ['a full disk of a server', serverError('53100'), 'disk-full'],
  ['a server that shuts down', serverError('57P01'), 'connection-lost'],
  ['a timeout of a server', serverError('57014'), 'server-error'],
  ['a broken connection', new Error('Connection terminated unexpectedly'), 'connection-lost'],
  ['a program', printed('psql: error'), 'program-failed'],
  ['a program that lost its server', printed('server closed the connection unexpectedly'), 'connection-lost'],
  ['a program on a full disk', printed('No space left on device'), 'disk-full'],
  ['what only the user can correct', new UserError('such as a wrong value'), 'rejected'],
  ['a bug', new TypeError('undefined is no function'), 'other'],
];

describe('failures', () => {
  it.each(failed)('are known by %s', (_, error, code) => {
    expect(failureOf(error)).toBe(code);
  });
});

const rules = Object.entries(problemRules).map(
  ([id, [rule, remedy]]) => [id, { meaning: `${rule}.`, remedy }] as const,
);
const meanings: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = {
  failure: failureMeanings,
  finding: findingMeanings,
  probe: probes,
  warning: warningMeanings,
  withheld: withheldMeanings,
  stop: stopMeanings,
  rule: Object.fromEntries(rules),
};

describe.each(Object.entries(meanings))('each %s', (_, known) => {
  it.each(Object.entries(known))('%s says what it means and what to do', (code, { meaning, remedy }) => {
    expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(meaning).toMatch(/^\S.*\.$/);
    expect(remedy).toMatch(/^\S.*\.$/);
  });
});
