import { expect, it } from 'vitest';
import { tinyExperiment, TinyRun } from '../helpers/processes/tiny-run.ts';

it("settings of PostgreSQL's clients do not reach a local run", async () => {
  const run = new TinyRun();
  try {
    run.define({ ...tinyExperiment, protocol: { blocks: 1, warmUpSeconds: 0 } });
    const environment = { PGSSLMODE: 'verify-full', PGOPTIONS: '-c no.such', PGHOST: '/nowhere', PGSERVICE: 'other' };
    const { exitCode } = await run.runAs({ environment }, 'load-run', 'tiny', '--local', '--volumes', 'folders').ended;
    expect(exitCode).toBe(0);
    expect(run.result()).toMatchObject({ complete: true });
  } finally {
    run.remove();
  }
});
