import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { exists } from '../../files/look.ts';
import { dumpFormat } from './dump-format.ts';
import { resolveLevel } from '../pgbench/schema.ts';
import { withTrial } from '../pgbench/durations.ts';
import { inspectFiles, type Script, scriptFiles } from '../pgbench/inspect-files.ts';
import { refusedKeys } from '../pgbench/driver.ts';
import { runDefinition } from '../pgbench/run-definition.ts';
import { runWords } from '../pgbench/words.ts';
import type { Tool } from '../tool.ts';
import { defaultReset, experimentProblems, ownDurations, ownReset, workloadProblems } from './rules.ts';
import { type DeclaredOwnData, loadedByOwn, loadFilesOf, ownDataInWords, ownDataSchema } from './schema.ts';

/** The user's own data, from SQL files, a dump or a snapshot. pgbench runs the user's scripts on it. */
export const ownData: Tool<DeclaredOwnData> = {
  ...runDefinition,
  name: 'own-data',
  schema: ownDataSchema,
  alternatives: [...runDefinition.alternatives, { keys: ['sql', 'dump', 'snapshot'], takeBack: 'all' }],
  problems: workloadProblems,
  experimentProblems,
  resolveLevel,
  durations: (workload) => withTrial(ownDurations(workload.load), resolveLevel(workload)),
  words(workload) {
    const data = ownDataInWords(workload.load);
    return runWords(workload, { summary: `on ${data}`, facts: [['data', data]] });
  },
  resetSteps: { [ownReset]: { words: 'reset by files of the user', expectedSeconds: 1, statements: null } },
  defaultReset,
  files: (workload) => [...new Set([...trialFilesOf(workload), ...loadFilesOf(workload.load)])],
  readFiles({ scripts, load }, folder) {
    const sql = 'sql' in load ? load.sql : 'dump' in load ? [load.dump] : [];
    const read: Script[] = [
      ...scriptFiles(scripts).map((name): Script => ({ name, by: 'pgbench' })),
      ...sql.map((name): Script => ({ name, by: 'psql', loads: true })),
      ...(load.reset ?? []).map((name): Script => ({ name, by: 'psql' })),
    ];
    const others = loadFilesOf(load);
    const found = inspectFiles(
      'sql' in load
        ? { read, others, remedy: 'In workload.load.files, name the files that psql reads.' }
        : { read, others },
      folder,
    );
    const ofDump = 'dump' in load ? dumpProblems(load.dump, folder) : [];
    return ofDump.length > 0 ? { ...found, problems: ofDump } : found;
  },
  loadFiles: ({ load }) => loadFilesOf(load),
  trialFiles: trialFilesOf,
  async foresee(programs, where) {
    await runDefinition.foresee(programs, where);
    const { load } = where.workload;
    // Another check reports a missing pg_restore.
    if (!('dump' in load) || !exists(path.join(programs, 'pg_restore'))) return;
    if (dumpFormat(path.resolve(where.scriptFolder, load.dump), load.dump) === 'plain') return;
    const { requireArchive } = await import('./restore-dump.ts');
    await requireArchive(load.dump, { programs, ...where }, where.signal);
  },
  programs: ({ load }) => ['psql', ...('dump' in load ? ['pg_restore'] : [])],
  loadedBy: ({ load }) => loadedByOwn(load),
  restores({ load }) {
    if (!load || !('snapshot' in load)) return null;
    const { snapshot, database, user } = load;
    return { snapshot, database, user };
  },
  // Only the user knows which of these tables grow.
  growingTable: () => null,
  refusedKeys: {
    ...refusedKeys,
    scale: 'own data has no scale; leave it out. If a script reads :scale, set it in variables, such as { scale: 100 }',
    builtin:
      'built-in scripts work on pgbench’s own tables; own data needs your own scripts, such as { file: new-order.sql }',
  },
  async open(options) {
    const { ownDataGenerator } = await import('./generator.ts');
    return ownDataGenerator({ ...options, workload: resolveLevel(options.workload) });
  },
  // Its output is pgbench’s, and pgbench’s reader reads it.
  outputReader: () => Promise.resolve({ recognises: () => false, parse: () => [] }),
};

/** Refuses a file that is not a dump, or only part of one, before servers are created. */
function dumpProblems(name: string, folder: string): RuleProblem[] {
  const file = path.resolve(folder, name);
  try {
    if (exists(file)) dumpFormat(file, name);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [
      { path: ['workload', 'load', 'dump'], showValue: false, message: error.message.replace(/^load\.dump /, '') },
    ];
  }
}

/** The files of a reset may read every file of the load, by \copy or \ir. */
function trialFilesOf({ scripts, load }: DeclaredOwnData): string[] {
  return [...new Set([...scriptFiles(scripts), ...(load.reset ? [...load.reset, ...loadFilesOf(load)] : [])])];
}
