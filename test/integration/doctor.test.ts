import { expect, it } from 'vitest';
import { probes } from '../../runner/contract/probes.ts';
import { checkMachine } from '../../runner/probes/check-machine.ts';
import { parsedExperiment } from '../helpers/samples/parsed-experiment.ts';

const here = {
  pgBindir: undefined,
  environment: {},
  scriptFolder: '.',
  signal: new AbortController().signal,
  otherPrograms: () => Promise.resolve({ finding: 'other programs took 60%', warning: 'End them.' }),
};

function experimentWith(variant: object) {
  return parsedExperiment({
    name: 'small',
    question: 'Which is faster?',
    variants: { one: variant, two: variant },
    baseline: 'one',
    workload: { tool: 'pgbench', scale: 1, clients: 1, durationSeconds: 1 },
  });
}

it('finds what this machine is too small for, each with the size that is there', async () => {
  const experiment = experimentWith({
    storage: { type: 'local', sizeGib: 1024 },
    engine: { parameters: { shared_buffers: '90TB' } },
  });
  const outcomes = await checkMachine({ ...here, experiment }, () => undefined);
  const problems = new Map(outcomes.map(({ name, problems }) => [name, problems.join()]));
  expect(problems.get('disk space')).toMatch(/need 2048 GiB, but .* has room for only [\d.]+ GiB/);
  expect(problems.get('memory')).toMatch(
    /^The shared_buffers of all variants add up to 184320\.0 GiB, but pgduet and its servers may use/,
  );
  const small = experimentWith({ storage: { type: 'local', sizeGib: 1 } });
  const fitting = await checkMachine({ ...here, experiment: small }, () => undefined);
  expect(fitting.find(({ name }) => name === 'memory')?.problems).toEqual([]);
  expect(fitting).toContainEqual({
    id: 'other-programs',
    name: probes['other-programs'].name,
    state: 'warn',
    problems: [],
    detail: 'other programs took 60%',
    notes: ['End them.'],
    remedy: probes['other-programs'].remedy,
  });
  expect(fitting.find(({ name }) => name === 'load generator')?.detail).toMatch(
    /^pgbench reaches [\d,]{4,} times SELECT 1 per second here with 1 client\. A run above half of that would measure/,
  );
});

it('says whether this machine can limit volumes, and what it can ask without; neither is a problem', async () => {
  const outcomes = await checkMachine(here, () => undefined);
  const found = outcomes.find(({ name }) => name === 'volumes');
  const without = [
    expect.stringMatching(
      /a run cannot show the effect of a log volume\. .* npx --no-install pgduet try --set/,
    ) as string,
  ];
  expect(found).toMatchObject({ problems: [], notes: found?.detail.startsWith('plain folders') ? without : [] });
});
