import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Vitest would leave one core idle, which is half of a machine with two. A third file runs while two wait for the disk. */
const workers = 3;

/** They look at what else runs on this machine, or need its volumes to keep up: nothing runs beside them. */
const alone = ['beside-root', 'explanation', 'neighbours', 'one-clock', 'fifth-tool', 'stalls'];
/** Each takes half a minute or more, the longest first: one that begins last would be waited for when all others have ended. */
const long = [
  ...['local-run', 'standbys', 'deployed-run', 'own-data', 'limited-run', 'troubleshooting', 'volumes'],
  ...['postgres-versions', 'load', 'hostile-environment', 'repeated-run', 'own-sessions', 'app', 'invariants'],
  ...['judged-parameters', 'foreseen-scripts', 'restart', 'orders', 'reset', 'bundle', 'inconsistent-run'],
  ...['load-that-prints', 'recovery', 'compiled-code', 'third-place', 'pgbench-options', 'hung-server', 'in-force'],
];
const shortestFirst = long.toReversed();

function nameOf(file: string): string {
  return path.basename(file, '.test.ts');
}

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const lengthOf = ({ moduleId }: TestSpecification): number => shortestFirst.indexOf(nameOf(moduleId));
    return (await super.sort(specifications)).toSorted((one, other) => lengthOf(other) - lengthOf(one));
  }
}

const all = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => path.join('test', file));

function kindOf(file: string): 'unit' | 'stacks' | 'drawn' | 'browser' | 'integration' | 'alone' {
  if (file.includes('in-browser')) return 'browser';
  if (/^test\/(bench|fuzz)\//.test(file)) return 'drawn';
  if (file.startsWith('test/lib/')) return 'stacks';
  if (file.startsWith('test/integration/')) return alone.includes(nameOf(file)) ? 'alone' : 'integration';
  return 'unit';
}

/**
 * Files of a kind, one after another in the same processes, since loading our modules anew takes longer than most tests. A
 * module that is replaced stays replaced for every later file: files that replace some have a process each.
 */
function projectsOf(
  kind: ReturnType<typeof kindOf>,
  { groupOrder, ...options }: { groupOrder: number; maxWorkers: number; setupFiles?: string[]; testTimeout?: number },
): TestProjectInlineConfiguration[] {
  const isReplacing = (file: string): boolean => /\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(file, 'utf8'));
  const files = all.filter((file) => kindOf(file) === kind);
  const replacing = files.filter(isReplacing);
  const test = { sequence: { groupOrder }, testTimeout: 180_000, hookTimeout: 180_000, ...options };
  return [
    { test: { ...test, name: kind, include: files.filter((file) => !replacing.includes(file)), isolate: false } },
    { test: { ...test, name: `${kind}-replacing`, include: replacing } },
  ].filter(({ test: { include } }) => include.length > 0);
}

/** Kinds of tests, one after another: CONTRIBUTING.md says what each needs, and which `npm test` runs. */
export default defineConfig({
  test: {
    reporters: ['default'],
    globalSetup: ['test/helpers/compile.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      ...projectsOf('unit', { groupOrder: 0, maxWorkers: workers, testTimeout: 60_000 }),
      ...projectsOf('stacks', { groupOrder: 0, maxWorkers: workers, setupFiles: ['test/helpers/after-stacks.ts'] }),
      // These hardly wait.
      ...projectsOf('drawn', { groupOrder: 1, maxWorkers: 2 }),
      ...projectsOf('browser', { groupOrder: 2, maxWorkers: 2 }),
      // Most of their time, these wait for a trial to end or a server to start.
      ...projectsOf('integration', { groupOrder: 3, maxWorkers: 7 }),
      ...projectsOf('alone', { groupOrder: 4, maxWorkers: 1 }),
    ],
  },
});
