import { expect, it, vi } from 'vitest';
import type { MeasureStep } from '../../runner/contract/plan.ts';
import { PartError } from '../../runner/contract/errors.ts';
import { watchMemory } from '../../runner/machine/memory-kills.ts';
import { withTries } from '../../runner/run/retry.ts';
import { measureTrials } from '../../runner/run/trial.ts';
import { fakeRun } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
vi.mock(import('../../runner/machine/memory-kills.ts'), async (original) => ({
  ...(await original()),
  watchMemory: vi.fn(() => () => null),
}));

const words = 'Memory ran out: the kernel killed 1 process.';
const lost = (): Promise<never> =>
  Promise.reject(new PartError('server closed the connection unexpectedly', 'server-ended'));

it('a trial whose server the kernel ended says that memory ran out', async () => {
  vi.mocked(watchMemory).mockReturnValueOnce(() => words);
  const run = fakeRun({ generator: { measure: lost } });
  const step = run.execution.plan.steps.find((one): one is MeasureStep => one.kind === 'measure');
  if (!step) throw new Error('a plan without a trial');
  const [ended] = await measureTrials(await run.running(), new Map(), step);
  expect(ended?.trial.failure).toMatchObject({
    stage: 'measure',
    error: `server closed the connection unexpectedly\n${words}`,
  });
});

it('a load is not tried again where memory ran out: it would again', async () => {
  vi.mocked(watchMemory).mockReturnValueOnce(() => words);
  const running = await fakeRun({}).running();
  const work = vi.fn(lost);
  const { signal } = new AbortController();
  await expect(withTries(running, 'Loading one', signal, work)).rejects.toThrow(`Loading one failed. ${words}`);
  expect(work).toHaveBeenCalledTimes(1);
});
