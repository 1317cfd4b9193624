import { expect, it } from 'vitest';
import { everyCheck } from '../../runner/analysis/validity/registry.ts';
import { catalogue } from '../../runner/metrics/catalogue.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

interface Explained {
  id: string;
  kind: string;
  says: string[];
}

async function explained(...words: string[]): Promise<Explained[]> {
  return JSON.parse((await runCommandLine(['explain', '--json', ...words])).stdout) as Explained[];
}

it.each([
  ['clock', ['check clock']],
  ['missing-trials', ['doubt missing-trials']],
  ['latency.p99', ['metric latency.p99']],
  ['waits.LWLock:WALWrite', ['metric waits.LWLock:WALWrite']],
  ['unknown-key', ['problem unknown-key']],
  ['cut-off', ['failure cut-off']],
  ['file-changed', ['finding file-changed']],
  ['disk-space', ['probe disk-space']],
  ['few-transactions', ['warning few-transactions']],
  ['threads', ['problem threads']],
])('explains %s', async (id, found) => {
  expect((await explained(id)).map((one) => `${one.kind} ${one.id}`)).toEqual(found);
});

it('says the remedy of a check, as docs/reference/checks.md does', async () => {
  const [check] = everyCheck;
  const { stdout } = await runCommandLine(['explain', check?.id ?? ''], { columns: Infinity });
  expect(stdout).toContain(check?.remedy);
});

it('lists every check and metric without an id', async () => {
  const ids = (await explained()).map(({ id }) => id);
  expect(ids).toEqual(
    expect.arrayContaining([...everyCheck.map(({ id }) => id), ...catalogue.map(({ name }) => name)]),
  );
});

it.each([
  ['clok', 'clock'],
  ['latency.p98', 'latency.p99'],
  ['zzzzzzzzzzzz', 'pgduet explain'],
])('of %s, which nothing has, names %s', async (id, near) => {
  const { stderr, exitCode } = await runCommandLine(['explain', id]);
  expect(stderr).toContain(near);
  expect(exitCode).toBe(2);
});
