import { expect, it } from 'vitest';
import { costsOf } from '../../runner/rds/prices/estimate.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { renderPlan } from '../../runner/report/terminal/plan-text.ts';
import { project } from '../helpers/synthesize.ts';

const now = new Date('2026-11-29T12:00:00Z');

it.each([
  ['quick', 'local'],
  ['wal-placement', 'local'],
  ['log-volume-latency', 'full'],
  ['own-data', 'local'],
  ['dlv-pgbench', 'full'],
  ['dlv-pgbench', 'replicas'],
  ['dlv-ladder', 'full'],
  ['deployment-options', 'full'],
  ['version-upgrade', 'full'],
  ['dlv-tprocc-multi-az', 'full'],
])('the plan of %s with the profile %s is as it was', async (name, wanted) => {
  const { experiment, profile, warnings } = loadExperiment(name, { folder: project, profile: wanted, seed: 1 });
  const plan = makePlan(experiment, profile, warnings);
  const costs = await costsOf(experiment, profile, plan.expectedSeconds, {
    source: 'kept',
    region: 'us-east-1',
    environment: {},
    signal: new AbortController().signal,
    warn: () => undefined,
  });
  const text = [80, 120].map((columns) => `===== ${columns} columns\n${renderPlan(plan, costs, { columns, now })}`);
  await expect(text.join('\n')).toMatchFileSnapshot(`plans/${name}-${wanted}.txt`);
});
