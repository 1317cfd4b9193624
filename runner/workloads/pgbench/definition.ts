import type { ToolDefinition } from '../extras.ts';
import { durationsOfTables, withTrial } from './durations.ts';
import { runDefinition, runProblems } from './run-definition.ts';
import { resolveLevel, type DeclaredWorkload, pgbenchSchema } from './schema.ts';
import { inspectFiles, scriptFiles } from './inspect-files.ts';
import { refusedKeys } from './driver.ts';
import { runWords } from './measures.ts';

/** PostgreSQL's own load generator on its own tables, with its built-in scripts or with scripts of the user. */
export const pgbench = {
  ...runDefinition,
  name: 'pgbench',
  schema: pgbenchSchema,
  problems: runProblems,
  durations: (workload) => withTrial(durationsOfTables(resolveLevel(workload)), resolveLevel(workload)),
  words: (workload) => runWords(workload, { summary: `at scale ${workload.scale.toLocaleString('en-US')}` }),
  resetSteps: {
    'truncate-history': {
      words: 'empty the history table',
      expectedSeconds: 0.1,
      statements: ['TRUNCATE pgbench_history'],
    },
    'tool-default': {
      words: 'what the load generator does by itself before a run',
      expectedSeconds: 0.1,
      statements: ['VACUUM pgbench_branches', 'VACUUM pgbench_tellers', 'TRUNCATE pgbench_history'],
    },
  },
  defaultReset: () => ['truncate-history', 'vacuum', 'checkpoint'],
  trialFiles: ({ scripts = [] }) => scriptFiles(scripts),
  readFiles: ({ scripts = [] }, folder) =>
    inspectFiles({ read: scriptFiles(scripts).map((name) => ({ name, by: 'pgbench' })) }, folder),
  loadedBy: ({ scale, load }) => ({ scale, load }),
  growingTable: 'pgbench_history',
  refusedKeys: { ...refusedKeys, ...ownDataKeys() },
  async open(options) {
    const { pgbenchGenerator } = await import('./generator.ts');
    return pgbenchGenerator({ ...options, workload: resolveLevel(options.workload) });
  },
  async outputReader() {
    const { runsIn } = await import('./output/parse-output.ts');
    return { parse: runsIn };
  },
} satisfies ToolDefinition<DeclaredWorkload>;

/** Keys that users may expect in `load`, with the tool that has them. */
function ownDataKeys(): Record<string, string> {
  const keys = ['sql', 'dump', 'snapshot'];
  return Object.fromEntries(
    keys.map((key) => [key, 'pgbench loads its own tables; for your data, set tool: own-data']),
  );
}
