import path from 'node:path';
import * as z from 'zod';
import type { Workload } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { exists, sizeOf } from '../../files/look.ts';
import type { InParts } from '../../files/in-parts.ts';
import { type InputBounds, whyNoInput } from '../../files/named-input.ts';
import { maxBytes } from '../../files/read.ts';
import { hashingFiles } from '../../workloads/loaded-with.ts';
import type { InspectedFiles } from '../../workloads/extras.ts';
import type { FullTool } from '../../workloads/registry.ts';
import type { RepeatedRun } from './find.ts';
import { isMap, type Plain } from './profiles.ts';
import { whyNoSqlFolder, withFilesOfFolders } from './prepared-files.ts';
import { isSqlFolder, type Variant } from '../../contract/experiment/variant.ts';
import { preparingFiles } from '../../workloads/of-variants.ts';
import { inspectFiles } from '../../workloads/pgbench/inspect-files.ts';

/** Files that one key of the experiment names. */
interface Naming {
  key: readonly string[];
  files: readonly string[];
  /** Those of them that data is loaded from. */
  loadFiles: readonly string[];
  inspect(): InParts<InspectedFiles> | undefined;
}

/**
 * What the files of an experiment show: that they do not exist, lie where the experiment may name none, are not those of
 * the run to repeat, or would be refused by the programs that read them. The user should not learn this only after hours
 * of loading.
 *
 * @param of.bounds where the experiment may name files; null if the user has named each of them
 */
export function* checkFiles(
  { tool, workload: valid, variants }: ReadableLoad,
  experiment: Plain,
  folder: string,
  { repeated, bounds }: { repeated?: RepeatedRun | undefined; bounds: InputBounds | null },
): InParts<InspectedFiles> {
  const workload = { ...valid, ...validElements(tool, isMap(experiment) ? experiment['workload'] : null) };
  const found: InspectedFiles = { problems: folderProblems(variants, folder), warnings: [], others: [] };
  const reading: Naming[] = [];
  for (const naming of namings({ tool, workload, variants }, folder)) {
    const { files, loadFiles } = naming;
    const missing = files.filter((one) => !exists(path.resolve(folder, one)));
    const refused = [
      ...files
        .filter((one) => bounds !== null && !missing.includes(one))
        .flatMap((one) => {
          const why = bounds && whyNoInput(path.resolve(folder, one), bounds);
          return why === null ? [] : [refusal(one, why)];
        }),
      ...(repeated ? yield* otherFiles(files, loadFiles, folder, repeated) : []),
    ];
    const lost = missing.map((one) => refusal(one, `is not in ${folder}`));
    found.problems.push(...at(naming, [...lost, ...refused]));
    // What the experiment may not name is not read: messages would show what is in it.
    if (refused.length === 0) reading.push(naming);
  }
  for (const naming of reading) {
    const inspecting = naming.inspect();
    const read = inspecting && (yield* inspecting);
    found.problems.push(...at(naming, read?.problems ?? []));
    found.warnings.push(...(read?.warnings ?? []));
    found.others.push(...(read?.others ?? []));
  }
  return { ...found, warnings: [...new Set(found.warnings)], others: [...new Set(found.others)] };
}

/** As much of an experiment as is valid of what names files. */
export interface ReadableLoad {
  tool: FullTool;
  workload: Partial<Workload>;
  variants: Readonly<Record<string, Partial<Variant>>>;
}

/** The workload, the scripts of each variant, and what each runs after loading. */
function namings({ tool, workload, variants }: ReadableLoad, folder: string): Naming[] {
  const byVariants = Object.entries(withFilesOfFolders(variants, folder)).flatMap(([name, variant]): Naming[] => {
    const scripts = { scripts: variant.scripts };
    const prepared = preparingFiles(variant);
    const read = prepared.map((file) => ({ name: file, by: 'psql', loads: true }) as const);
    return [
      {
        key: ['variants', name, 'scripts'],
        files: variant.scripts ? tool.trialFiles(scripts) : [],
        loadFiles: [],
        inspect: () => (variant.scripts ? tool.readFiles?.(scripts, folder) : undefined),
      },
      {
        key: ['variants', name, 'prepare'],
        files: prepared,
        loadFiles: prepared,
        inspect: () => inspectFiles({ read, remedy: 'Write their content into the file itself.' }, folder),
      },
    ];
  });
  return [
    {
      key: ['workload'],
      files: tool.files(workload),
      loadFiles: tool.loadFiles(workload),
      inspect: () => tool.readFiles?.(workload, folder),
    },
    ...byVariants,
  ];
}

/** Problems where the experiment names the files. One about a key of the workload stays there. */
function at({ key }: Naming, problems: readonly RuleProblem[]): RuleProblem[] {
  return problems.map((problem) => (problem.named === undefined ? problem : { ...problem, path: [...key] }));
}

function folderProblems(variants: ReadableLoad['variants'], folder: string): RuleProblem[] {
  return Object.entries(variants).flatMap(([name, { prepare = [] }]) =>
    prepare.filter(isSqlFolder).flatMap((one): RuleProblem[] => {
      const why = whyNoSqlFolder(one, folder);
      const message = `names the folder ${one}, which ${why}`;
      const path = ['variants', name, 'prepare'];
      return why === null ? [] : [{ rule: 'prepare-folder', path, named: one, code: 'wrong-part', message }];
    }),
  );
}

/** Of each list that is not valid as a whole, the elements that are: the files among them can be read. */
function validElements(tool: FullTool, raw: Plain | undefined): Partial<Workload> {
  const lists = Object.entries(isMap(raw) ? raw : {}).flatMap(([key, value]) => {
    const schema: unknown = tool.schema.shape[key];
    if (!(schema instanceof z.ZodType) || !Array.isArray(value)) return [];
    const valid = (element: Plain): unknown[] => {
      const parsed = schema.safeParse([element]);
      return parsed.success && Array.isArray(parsed.data) ? (parsed.data as unknown[]) : [];
    };
    // With a wrong weight, a script is still a file.
    const elements = value.flatMap((element) => {
      const whole = valid(element);
      const parts = isMap(element) ? Object.entries(element).map(([name, part]) => ({ [name]: part })) : [];
      return whole.length > 0 ? whole : parts.flatMap(valid);
    });
    return [[key, elements]];
  });
  return Object.fromEntries(lists) as Partial<Workload>;
}

export const otherFileRemedy =
  'its SHA-256 differs from the one in run.json. Restore the file, or copy the experiment and start your own run';

/**
 * Files that are not those of the run to repeat: changed since, or reached by a relative path that leads out of the
 * run's folder. A file at an absolute path is accepted if it is what the run had. Files that data is loaded from may be
 * large. They, and any other large file, are compared when the run begins.
 */
function* otherFiles(
  named: readonly string[],
  loadFiles: readonly string[],
  folder: string,
  run: RepeatedRun,
): InParts<RuleProblem[]> {
  const problems: RuleProblem[] = [];
  for (const file of named) {
    const whole = path.resolve(folder, file);
    if (!exists(whole)) continue;
    const isOutside = !path.isAbsolute(file) && !whole.startsWith(run.inputs + path.sep);
    const isComparedLater = loadFiles.includes(file) || sizeOf(whole) > maxBytes;
    const why = isOutside
      ? 'is outside the folder of the run'
      : isComparedLater || (yield* hashingFiles([file], folder))[file] === run.files[file]
        ? null
        : `is not the file that the run used: ${otherFileRemedy}`;
    if (why !== null) problems.push(refusal(file, why));
  }
  return problems;
}

function refusal(file: string, why: string): RuleProblem {
  return {
    rule: 'named-file',
    path: ['workload'],
    named: file,
    code: 'wrong-part',
    message: `names the file ${file}, which ${why}`,
  };
}
