import { expect, it } from 'vitest';
import { PartError, UserError } from '../../runner/contract/errors.ts';
import type { FailureCode } from '../../runner/contract/failures.ts';
import { namingParameter, withCauseInParameter } from '../../runner/places/named-parameter.ts';

const remedy = (name: string, value: string): string =>
  `The variant sets parameter ${name}: ${value}. Change the value, or remove it.`;

it.each(['session_preload_libraries', 'local_preload_libraries', 'shared_preload_libraries'])(
  'a server that cannot load a library makes an error that names %s',
  async (name) => {
    const message = 'could not access file "nosuch": No such file or directory';
    const asked = { parameters: { [name]: 'nosuch', work_mem: '4MB' } };
    const refusal = Object.assign(new Error(message), { severity: 'FATAL', code: '58P01' });
    expect(namingParameter(message, { asked }, refusal)).toBe(`${message}\n${remedy(name, 'nosuch')}`);
    const failed = withCauseInParameter({ asked }, () => Promise.reject(refusal));
    await expect(failed).rejects.toBeInstanceOf(UserError);
    await expect(failed).rejects.toThrow(remedy(name, 'nosuch'));
  },
);

it.each<[name: string, value: string | number | boolean, message: string, failure: FailureCode]>([
  ['db_user_namespace', true, 'password authentication failed for user "postgres@postgres"', 'connection-lost'],
  ['password_encryption', 'md5', 'password authentication failed for user "postgres"', 'connection-lost'],
  ['post_auth_delay', 60, 'no connection within 10 s', 'no-connection'],
  ['pre_auth_delay', 1, 'pgbench did not complete: no transaction completed', 'no-transactions'],
])('%s is named by a server that nobody can enter in time', (name, value, message, failure) => {
  const asked = { parameters: { [name]: value, work_mem: '4MB' } };
  const named = namingParameter(message, { asked }, new PartError(message, { failure, printed: message }));
  expect(named).toBe(`${message}\n${remedy(name, String(value))}`);
});

it('what only we say names no parameter', () => {
  const asked = { parameters: { statement_timeout: 1, max_connections: 9 } };
  const ours = 'canceling statement due to statement timeout; sorry, too many clients already';
  expect(namingParameter(ours, { asked }, new PartError(ours, 'no-answer'))).toBe(ours);
});

it('a bug of ours stays one, whatever it says', async () => {
  const bug = new TypeError('statement_timeout of undefined');
  const asked = { parameters: { statement_timeout: 1 } };
  await expect(withCauseInParameter({ asked }, () => Promise.reject(bug))).rejects.toBe(bug);
});
