import { expect, it, vi } from 'vitest';
import { AwsCallError } from '../../runner/aws/call.ts';
import type { RegisterCommand } from '../../runner/cli/io.ts';
import { main } from '../../runner/cli/main.ts';
import { PartError, UserError } from '../../runner/contract/errors.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';

const failing = vi.hoisted(() => ({ with: new Error() }));
vi.mock('../../runner/cli/commands/plan.ts', () => ({
  registerPlan: ((program) =>
    program.command('plan').action(() => {
      throw failing.with;
    })) satisfies RegisterCommand,
}));

const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
const denied = Object.assign(new Error('not authorized'), { name: 'AccessDenied' });

it.each<[string, Error, number]>([
  ['the user can put it right', new UserError('no such thing'), 2],
  ['AWS refuses for good', new AwsCallError('s3:PutObject of it was refused', denied), 2],
  ['AWS throttles', new AwsCallError('s3:PutObject of it was throttled', throttled), 3],
  ['a server has ended', new PartError('the server of one ended (SIGKILL)'), 3],
  ['it is a bug of ours', new TypeError('undefined is not a function'), 70],
])('where %s, the exit code says so', async (_, error, exitCode) => {
  failing.with = error;
  const { io, printed } = fakeIo({});
  await main(['plan'], io);
  expect(printed().exitCode).toBe(exitCode);
});
