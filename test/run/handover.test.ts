import { beforeEach, expect, it, vi } from 'vitest';
import { UnfitTrials } from '../../runner/contract/errors.ts';
import { newHandover } from '../../runner/run/handover.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

/** Two runs, of which the second may take over what the first has left. */
function twoRuns() {
  const handover = newHandover();
  const done: string[] = [];
  const runWith = () =>
    fakeRun({
      workload: { tool: 'own-data', scale: undefined, load: { sql: ['made.sql'] }, scripts: [{ file: 'mix.sql' }] },
      files: { 'made.sql': 'SELECT 1;', 'mix.sql': 'SELECT 3;' },
      protocol: { reset: [] },
      generator: {
        load: ({ server: name }) => Promise.resolve(void done.push(`data of ${name}`)),
        tryScripts({ server: name }) {
          done.push(`scripts on ${name}`);
          return Promise.resolve({ script: 'mix.sql', seconds: 2.4 });
        },
      },
    });
  const [first, second] = [runWith(), runWith()];
  for (const run of [first, second]) {
    const { openPlace } = run.execution;
    run.execution.openPlace = () => handover.open(openPlace);
    Object.assign(run.execution, { handover });
  }
  return { handover, done, first, second };
}

it('a run with trials that fit takes over the servers, and neither loads nor tries them again', async () => {
  const { handover, done, first, second } = twoRuns();
  first.execution.onTriedOut = () => {
    handover.handOver();
    return Promise.reject(new UnfitTrials(2.4));
  };
  second.execution.onTriedOut = () => Promise.resolve();
  await expect(first.carryOut()).rejects.toMatchObject({ transactionSeconds: 2.4 });
  expect(first.log).not.toContain('place closed');
  const result = await second.carryOut();
  expect(result).toMatchObject({ complete: true });
  expect(done).toEqual(['data of one', 'scripts on one', 'data of two', 'scripts on two']);
  const [load] = result?.steps.filter(({ step }) => step === 'load') ?? [];
  expect(load?.loads?.map(({ server: name, outcome }) => `${name} ${outcome}`)).toEqual(['one loaded', 'two loaded']);
  expect(first.log.filter((line) => line === 'place closed')).toHaveLength(1);
  await handover.close();
  expect(first.log.filter((line) => line === 'place closed')).toHaveLength(1);
});

it('servers that nobody takes over are removed, and so are those of a run that fails otherwise', async () => {
  const left = twoRuns();
  left.first.execution.onTriedOut = () => {
    left.handover.handOver();
    return Promise.reject(new UnfitTrials(2.4));
  };
  await expect(left.first.carryOut()).rejects.toThrow('do not fit');
  await left.handover.close();
  expect(left.first.log).toContain('place closed');

  const { first } = twoRuns();
  first.execution.onTriedOut = () => Promise.reject(new Error('too long'));
  await expect(first.carryOut()).rejects.toThrow('too long');
  expect(first.log).toContain('place closed');
});
