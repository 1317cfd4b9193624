import { defineConfig } from 'vitest/config';

/** Unit tests are quick and need nothing; integration tests start real PostgreSQL servers and drive the real command line. */
export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/integration/**', 'test/lib/**'],
          sequence: { groupOrder: 0 },
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'stacks',
          include: ['test/lib/**/*.test.ts'],
          setupFiles: ['test/helpers/after-stacks.ts'],
          // One process for all of them: loading the CDK library takes longer than any of these tests.
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          // Two cores: servers under load in several files at once would only time each other out.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
