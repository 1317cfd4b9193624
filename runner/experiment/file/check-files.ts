import path from 'node:path';
import * as z from 'zod';
import type { Workload } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { exists, sizeOf } from '../../files/look.ts';
import { mostBytes } from '../../files/read.ts';
import { hashFiles } from '../../workloads/loaded-with.ts';
import type { Tool } from '../../workloads/tool.ts';
import type { RepeatedRun } from './find.ts';
import { isMap, type Plain } from './profiles.ts';

/**
 * What the files of a workload show: that they do not exist, are not those of the run to repeat, or would be refused by
 * the programs that read them. The user should not learn this only after hours of loading.
 */
export function checkFiles(
  { tool, workload: valid }: { tool: Tool; workload: Partial<Workload> },
  experiment: Plain,
  folder: string,
  repeated: RepeatedRun | undefined,
): { problems: RuleProblem[]; warnings: string[] } {
  const workload = { ...valid, ...validElements(tool, isMap(experiment) ? experiment['workload'] : null) };
  const named = tool.files(workload);
  const missing = named
    .filter((one) => !exists(path.resolve(folder, one)))
    .map((one) => ({
      path: ['workload'],
      named: one,
      showValue: false,
      message: `names the file ${one}, which is not in ${folder}; paths are relative to the experiment file`,
    }));
  const read = tool.readFiles?.(workload, folder);
  return {
    problems: [
      ...missing,
      ...(repeated ? otherFiles(named, tool.loadFiles?.(workload as Workload) ?? [], folder, repeated) : []),
      ...(read?.problems ?? []),
    ],
    warnings: read?.warnings ?? [],
  };
}

/** Of each list that is not valid as a whole, the elements that are: the files among them can be read. */
function validElements(tool: Tool, raw: Plain | undefined): Partial<Workload> {
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
  'its SHA-256 differs from the one in run.json. Restore the file, or copy the experiment and start a run of your own';

/**
 * Files that are not those of the run to repeat: changed since, or reached by a relative path that leads out of the
 * run's folder. A file at an absolute path is accepted if it is what the run had. Files that data is loaded from may be
 * large. They, and any other large file, are compared when the run begins.
 */
function otherFiles(
  named: readonly string[],
  loadFiles: readonly string[],
  folder: string,
  run: RepeatedRun,
): RuleProblem[] {
  return named
    .filter((file) => exists(path.resolve(folder, file)))
    .flatMap((file) => {
      const whole = path.resolve(folder, file);
      const problem = (message: string): RuleProblem[] => [
        { path: ['workload'], named: file, showValue: false, message },
      ];
      if (!path.isAbsolute(file) && !whole.startsWith(run.inputs + path.sep)) {
        return problem(`names the file ${file}, which is outside the folder of the run`);
      }
      return loadFiles.includes(file) ||
        sizeOf(whole) > mostBytes ||
        hashFiles([file], folder)[file] === run.files[file]
        ? []
        : problem(`names the file ${file}, which is not the one that the run used: ${otherFileRemedy}`);
    });
}
