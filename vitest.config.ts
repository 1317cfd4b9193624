import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Vitest would leave one core idle, which is half of a machine with two. */
const workers = 2;

const unitTests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !/^(integration|lib)\//.test(file))
  .map((file) => path.join('test', file));
/** A module that is replaced stays replaced for every later file in the same process. */
const replacing = unitTests.filter((file) => /\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(file, 'utf8')));

/** They look at what else runs on this machine, or need its volumes to keep up: nothing runs beside them. */
const alone = [
  'test/integration/beside-root.test.ts',
  'test/integration/explanation.test.ts',
  'test/integration/neighbours.test.ts',
  'test/integration/one-clock.test.ts',
  'test/integration/fifth-tool.test.ts',
  'test/integration/stalls.test.ts',
];
/** Each takes minutes: one that begins last would be waited for when all others have ended. */
const long = ['standbys', 'local-run', 'deployed-run', 'own-data', 'troubleshooting', 'limited-run'];
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => long.includes(path.basename(moduleId, '.test.ts'));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const integration = { testTimeout: 180_000, hookTimeout: 180_000 };

/** Unit tests are quick and need nothing; integration tests start real PostgreSQL servers and drive the real command line. */
export default defineConfig({
  test: {
    reporters: ['default'],
    globalSetup: ['test/helpers/compile.ts'],
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: unitTests.filter((file) => !replacing.includes(file)),
          // Loading our modules anew takes longer than most of these tests.
          isolate: false,
          maxWorkers: workers,
          sequence: { groupOrder: 0 },
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'unit-replacing',
          include: replacing,
          maxWorkers: workers,
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
          exclude: alone,
          // More than there are cores: most of their time they wait for a trial to end or a server to start.
          maxWorkers: 3 * workers,
          sequence: { groupOrder: 2 },
          ...integration,
        },
      },
      {
        test: {
          name: 'integration-alone',
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
          ...integration,
        },
      },
    ],
  },
});
