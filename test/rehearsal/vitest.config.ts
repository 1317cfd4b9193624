import { defineConfig } from 'vitest/config';

/** Scenarios: each test is a step that the ones after it build on. They run in the namespaces that `npm run rehearse` makes. */
export default defineConfig({
  test: {
    include: ['test/rehearsal/scenarios/*.scenario.ts'],
    // The second one is for the summary at the end of the rehearsal.
    reporters: ['verbose', ['json', { outputFile: '/mnt/logs/outcome.json' }]],
    fileParallelism: false,
    testTimeout: 600_000,
    // A machine that is busy with other scenarios answers late: what is waited for here takes minutes then, not seconds.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 600_000,
  },
});
