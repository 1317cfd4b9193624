import { expect, test } from 'vitest';
import { pauseSeconds } from '../../runner/run/time-limit.ts';

test('a pause that is cut off tells why', async () => {
  const ended = new AbortController();
  const paused = pauseSeconds(60, ended.signal);
  ended.abort(new Error('the server of one ended'));
  await expect(paused).rejects.toThrow('the server of one ended');
});
