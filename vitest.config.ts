import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Vitest would leave one core idle, which is half of a machine with two. A third file runs while two wait for the disk. */
const workers = 3;

/** They look at what else runs on this machine, or need its volumes to keep up: nothing runs beside them. */
const alone = ['beside-root', 'explanation', 'neighbours', 'one-clock', 'another-tool', 'stalls'];
/** Whole runs of many kinds, minutes of processor time each: a change of something else seldom breaks them. */
const lasting = [
  'built-from-source',
  'lost-servers',
  'one-existing-server',
  'pooler',
  'foreign-databases',
  'managed-servers',
  'sysbench',
  'planted-regressions',
  'workload-from-log',
  'printed-next',
  'standbys',
  'sql-by-variant',
  'gate',
];
/** Each takes half a minute or more, the longest first: one that begins last would be waited for when all others have ended. */
const long = [
  // Of these, each needs a process of its own.
  ...['deployed-run', 'third-place', 'inconsistent-run', 'hung-server'],
  ...lasting,
  ...['local-run', 'own-data', 'existing-servers', 'limited-run', 'troubleshooting'],
  ...['volumes', 'containers', 'refused-servers', 'workload-from', 'postgres-versions'],
  ...['load', 'hostile-environment', 'repeated-run', 'own-sessions', 'app', 'invariants', 'judged-parameters'],
  ...['validate-scripts', 'restart', 'orders', 'reset', 'bundle', 'load-that-prints', 'recovery', 'compiled-code'],
  ...['pgbench-options', 'in-force'],
];
const shortestFirst = long.toReversed();

function nameOf(file: string): string {
  return path.basename(file, '.test.ts');
}

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const lengthOf = ({ moduleId }: TestSpecification): number =>
      moduleId.includes('/test/integration/') ? shortestFirst.indexOf(nameOf(moduleId)) : -1;
    return (await super.sort(specifications)).toSorted((one, other) => lengthOf(other) - lengthOf(one));
  }
}

const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => path.join('test', file));

function kindOf(file: string): 'unit' | 'stacks' | 'drawn' | 'browser' | 'integration' | 'lasting' | 'alone' {
  if (file.includes('in-browser')) return 'browser';
  if (/^test\/(bench|fuzz)\//.test(file)) return 'drawn';
  if (file.startsWith('test/lib/')) return 'stacks';
  if (!file.startsWith('test/integration/')) return 'unit';
  const name = nameOf(file);
  return alone.includes(name) ? 'alone' : lasting.includes(name) ? 'lasting' : 'integration';
}

/**
 * Modules that a file replaces, for as long as its process lives: `servers` if only servers are replaced by made-up ones, which is
 * the same in every file that does so.
 */
function replacedBy(file: string): 'nothing' | 'servers' | 'others' {
  const replaced = readFileSync(file, 'utf8').match(/\bvi\.(mock|doMock|resetModules)\(.*/g) ?? [];
  if (replaced.length === 0) return 'nothing';
  return replaced.every((text) => text.endsWith("/fakes/fake-connect.ts'));")) ? 'servers' : 'others';
}

/**
 * Files of a kind, one after another in the same processes, since loading our modules anew takes longer than most tests: those
 * that replace the same modules together, and those that replace modules of their own in a process each.
 */
function projectsOf(
  kind: ReturnType<typeof kindOf>,
  {
    groupOrder,
    setupFiles = [],
    ...options
  }: {
    groupOrder: number;
    maxWorkers: number;
    setupFiles?: string[];
    testTimeout?: number;
    env?: Record<string, string>;
  },
): TestProjectInlineConfiguration[] {
  // What is polled comes at once, unless the machine is busy with other tests.
  const expect = { poll: { timeout: 30_000 } };
  const setups = ['test/helpers/drawn-alike.ts', ...setupFiles];
  const timeouts = { testTimeout: 180_000, hookTimeout: 180_000, expect };
  const test = { sequence: { groupOrder }, ...timeouts, ...options, setupFiles: setups };
  const replacing = (what: ReturnType<typeof replacedBy>): string[] =>
    all.filter((file) => kindOf(file) === kind && replacedBy(file) === what);
  return [
    { test: { ...test, name: kind, include: replacing('nothing'), isolate: false } },
    { test: { ...test, name: `${kind}-without-servers`, include: replacing('servers'), isolate: false } },
    { test: { ...test, name: `${kind}-replacing`, include: replacing('others') } },
  ].filter(({ test: { include } }) => include.length > 0);
}

/** Kinds of tests, one after another: CONTRIBUTING.md says what each needs, and which `npm test` runs. */
export default defineConfig({
  test: {
    reporters: ['default'],
    // Each project would transform the same sources anew.
    experimental: { fsModuleCache: true },
    globalSetup: ['test/helpers/compile.ts', 'test/helpers/servers/initdb-once.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      ...projectsOf('unit', { groupOrder: 0, maxWorkers: workers, testTimeout: 60_000 }),
      ...projectsOf('stacks', { groupOrder: 0, maxWorkers: workers, setupFiles: ['test/helpers/after-stacks.ts'] }),
      // These hardly wait.
      ...projectsOf('drawn', { groupOrder: 1, maxWorkers: 2 }),
      ...projectsOf('browser', { groupOrder: 2, maxWorkers: 2 }),
      // Most of their time, these wait for a trial to end or a server to start.
      ...projectsOf('integration', { groupOrder: 3, maxWorkers: 7 }),
      ...projectsOf('lasting', { groupOrder: 3, maxWorkers: 7 }),
      // With the real initdb, which others look at, too: the PATH as it was before the global setup.
      ...projectsOf('alone', { groupOrder: 4, maxWorkers: 1, env: { PATH: process.env['PATH'] ?? '' } }),
    ],
  },
});
