import path from 'node:path';
import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import { withTrial } from '../pgbench/durations.ts';
import { experimentProblems as problemsOfRun, runDefinition, runProblems } from '../pgbench/run-definition.ts';
import type { ExperimentAround, ToolDefinition } from '../extras.ts';
import type { WorkloadDurations } from '../tool.ts';
import {
  type DeclaredOwnData,
  loadedByOwn,
  loadFilesOf,
  type OwnData,
  ownDataInWords,
  ownDataSchema,
} from './schema.ts';
import { UserError } from '../../contract/errors.ts';
import { exists } from '../../files/look.ts';
import { dumpFormat, NotADump } from './dump-format.ts';
import { resolveLevel } from '../pgbench/schema.ts';
import { inspectFiles, scriptFiles } from '../pgbench/inspect-files.ts';
import type { Script } from '../pgbench/script-text.ts';
import { refusedKeys } from '../pgbench/driver.ts';
import { runWords } from '../pgbench/measures.ts';

/** The reset step that runs the user's own files. */
const ownReset = 'own-reset';

/** Problems of a workload by itself. */
export function workloadProblems({ load, ...run }: Partial<DeclaredOwnData>): RuleProblem[] {
  const isEmpty = load && !('snapshot' in load) && load.dump === undefined && load.sql === undefined;
  return [
    ...runProblems(run),
    ...problemUnless(
      'load-files',
      !isEmpty,
      ['load', 'sql'],
      'missing; name SQL files here, or a dump in load.dump, or both',
      'missing',
    ),
    ...problemUnless(
      'reset-seconds',
      !load || load.reset !== undefined || load.expectedResetSeconds === undefined,
      ['load', 'expectedResetSeconds'],
      'requires load.reset, which is missing; add load.reset, or remove this key',
    ),
  ];
}

/** Problems of a workload together with how databases are reset, and with what is collected. */
export function experimentProblems(
  { load, ...run }: Partial<DeclaredOwnData>,
  around: Pick<ExperimentAround, 'collect' | 'reset'>,
): RuleProblem[] {
  return [
    ...problemsOfRun(run, around),
    ...(around.reset ?? []).flatMap((step, index) => [
      ...problemUnless(
        'reset-files',
        step !== ownReset || !load || load.reset !== undefined,
        ['protocol', 'reset', index],
        'it runs the files in workload.load.reset, which is missing; list them there',
      ),
      ...problemUnless(
        'reset-database',
        step !== 'restore' || !load || !('snapshot' in load) || load.database !== 'postgres',
        ['protocol', 'reset', index],
        'pgduet cannot replace the database postgres, because it connects to it to replace a database; use own-reset, with files in load.reset',
      ),
    ]),
  ];
}

/** Vacuum is left to the user's files. A trial may need it after them, or may measure what happens without it. */
export function defaultReset({ load }: Partial<DeclaredOwnData>): readonly string[] {
  return [load?.reset === undefined ? 'restore' : ownReset, 'checkpoint'];
}

/** As in pgbench's tables, with their indexes. It converts the size of own data, in bytes, for speeds in rows. */
const bytesPerRow = 150;

type OwnDurations = Omit<WorkloadDurations, 'trialSeconds'>;

/** How long the data takes, as far as the user declares its size. */
function ownDurations(load: OwnData): OwnDurations {
  const bytes = load.sizeGib === undefined ? null : load.sizeGib * 2 ** 30;
  return {
    loadedRows: { value: 200_000, source: 'a guess: 30 MB/s' },
    rows: bytes === null ? null : bytes / bytesPerRow,
    bytes,
    isExact: false,
    resetSeconds: load.reset === undefined ? {} : { [ownReset]: load.expectedResetSeconds ?? null },
    assumptions: [
      load.sizeGib === undefined
        ? `no expected duration of steps that depend on the size of ${ownDataInWords(load)}: set workload.load.sizeGib`
        : `${load.sizeGib.toLocaleString('en')} GiB of own data (declared as workload.load.sizeGib)`,
      ...(load.reset === undefined
        ? []
        : [
            load.expectedResetSeconds === undefined
              ? `no expected duration of ${ownReset}: set workload.load.expectedResetSeconds`
              : `${load.expectedResetSeconds.toLocaleString('en')} seconds for ${ownReset} (workload.load.expectedResetSeconds)`,
          ]),
    ],
  };
}

/** The user's own data, from SQL files, a dump or a snapshot. pgbench runs the user's scripts on it. */
export const ownData = {
  ...runDefinition,
  name: 'own-data',
  schema: ownDataSchema,
  alternatives: [...runDefinition.alternatives, { keys: ['sql', 'dump', 'snapshot'], takeBack: 'all' }],
  problems: workloadProblems,
  experimentProblems,
  durations: (workload) => withTrial(ownDurations(workload.load), resolveLevel(workload)),
  words(workload) {
    const data = ownDataInWords(workload.load);
    return runWords(workload, { summary: `on ${data}`, facts: [['data', data]] });
  },
  resetSteps: { [ownReset]: { words: 'reset by files of the user', expectedSeconds: 1, statements: null } },
  defaultReset,
  *readFiles({ scripts = [], load }, folder) {
    const files = load && !('snapshot' in load) ? load : null;
    const sql = [...(files?.dump === undefined ? [] : [files.dump]), ...(files?.sql ?? [])];
    const read: Script[] = [
      ...scriptFiles(scripts).map((name): Script => ({ name, by: 'pgbench' })),
      ...sql.map((name): Script => ({ name, by: 'psql', loads: true })),
      ...(load?.reset ?? []).map((name): Script => ({ name, by: 'psql' })),
    ];
    const remedy = files ? { remedy: 'In workload.load.files, name the files that psql reads.' } : {};
    const found = yield* inspectFiles({ read, others: loadFilesOf(load), ...remedy }, folder);
    const dump = files?.dump;
    const dumpFindings = dump === undefined ? [] : dumpProblems(dump, folder);
    // A file that is no dump needs no second reason.
    const others = found.problems.filter(({ named }) => dumpFindings.length === 0 || named !== dump);
    return { ...found, problems: [...others, ...dumpFindings] };
  },
  loadFiles: ({ load }) => loadFilesOf(load),
  trialFiles: trialFilesOf,
  async validateScripts(programs, where) {
    await runDefinition.validateScripts(programs, where);
    const { load } = where.workload;
    // Another check reports a missing pg_restore.
    if ('snapshot' in load || load.dump === undefined || !exists(path.join(programs, 'pg_restore'))) return;
    const { requireReadable } = await import('./restore-dump.ts');
    await requireReadable(load.dump, { programs, ...where }, where.signal);
  },
  programs: ({ load }) => ['psql', ...('dump' in load && load.dump !== undefined ? ['pg_restore'] : [])],
  loadedBy: ({ load }) => loadedByOwn(load),
  restores({ load }) {
    if (!load || !('snapshot' in load)) return null;
    const { snapshot, database, user } = load;
    return { snapshot, database, user };
  },
  refusedKeys: {
    ...refusedKeys,
    scale:
      'own data has no scale; remove this key. If a script reads :scale, set it in variables, such as { scale: 100 }',
    builtin:
      'built-in scripts work on pgbench’s own tables; own data needs your own scripts, such as { file: new-order.sql }',
  },
  async open(options) {
    const { ownDataGenerator } = await import('./generator.ts');
    return ownDataGenerator({ ...options, workload: resolveLevel(options.workload) });
  },
} satisfies ToolDefinition<DeclaredOwnData>;

/** Refuses a file that is not a dump, or only part of one, before servers are created. */
function dumpProblems(name: string, folder: string): RuleProblem[] {
  const file = path.resolve(folder, name);
  try {
    if (exists(file)) dumpFormat(file, name);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [
      {
        rule: 'dump-file',
        path: ['workload', 'load', 'dump'],
        code: 'wrong-part',
        message: error instanceof NotADump ? error.words : error.message,
      },
    ];
  }
}

/** The files of a reset may read every file of the load, by \copy or \ir. */
function trialFilesOf({ scripts = [], load }: Partial<DeclaredOwnData>): string[] {
  return [...new Set([...scriptFiles(scripts), ...(load?.reset ? [...load.reset, ...loadFilesOf(load)] : [])])];
}
