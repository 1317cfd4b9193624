import { describe, expect, it, vi } from 'vitest';
import { PartError, UserError } from '../../runner/contract/errors.ts';
import { forEachServer } from '../../runner/places/servers-failed.ts';

const { signal } = new AbortController();

function failing(failures: Record<string, Error>): Promise<void> {
  const work = vi.fn<(server: string) => Promise<void>>();
  for (const failure of Object.values(failures)) work.mockRejectedValueOnce(failure);
  return forEachServer(Object.keys(failures), signal, work);
}

describe('the failures of several servers', () => {
  it('are one that may pass, where each of them may: a part that broke is no bug of ours', async () => {
    const failures = {
      a: new PartError('it hangs', 'server-ended'),
      b: new UserError('it restarts', { isTransient: true }),
    };
    await expect(failing(failures)).rejects.toBeInstanceOf(UserError);
    await expect(failing(failures)).rejects.toMatchObject({
      message: 'a: it hangs\nb: it restarts',
      isTransient: true,
    });
  });

  it('do not pass where one of them does not', async () => {
    const failures = { a: new PartError('it hangs', 'server-ended'), b: new UserError('no such table') };
    await expect(failing(failures)).rejects.toMatchObject({ name: 'UserError', isTransient: false });
  });

  it('are a bug where one of them is', async () => {
    const failures = { a: new PartError('it hangs', 'server-ended'), b: new TypeError('undefined is no function') };
    await expect(failing(failures)).rejects.not.toBeInstanceOf(UserError);
  });
});
