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

/**
 * What the files of a workload show: that they do not exist, lie where the experiment may name none, are not those of the
 * run to repeat, or would be refused by the programs that read them. The user should not learn this only after hours of
 * loading.
 *
 * @param of.bounds where the experiment may name files; null if the user has named each of them
 */
export function* checkFiles(
  { tool, workload: valid }: { tool: FullTool; workload: Partial<Workload> },
  experiment: Plain,
  folder: string,
  { repeated, bounds }: { repeated?: RepeatedRun | undefined; bounds: InputBounds | null },
): InParts<InspectedFiles> {
  const workload = { ...valid, ...validElements(tool, isMap(experiment) ? experiment['workload'] : null) };
  const named = tool.files(workload);
  const missing = named.filter((one) => !exists(path.resolve(folder, one)));
  const refused = [
    ...named
      .filter((one) => bounds !== null && !missing.includes(one))
      .flatMap((one) => {
        const why = bounds && whyNoInput(path.resolve(folder, one), bounds);
        return why === null ? [] : [refusal(one, why)];
      }),
    ...(repeated ? yield* otherFiles(named, tool.loadFiles(workload), folder, repeated) : []),
  ];
  // What the experiment may not name is not read: messages would show what is in it.
  const reading = refused.length > 0 ? undefined : tool.readFiles?.(workload, folder);
  const read = reading && (yield* reading);
  return {
    problems: [
      ...missing.map((one) => refusal(one, `is not in ${folder}; paths are relative to the experiment file`)),
      ...refused,
      ...(read?.problems ?? []),
    ],
    warnings: read?.warnings ?? [],
    others: read?.others ?? [],
  };
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
  'its SHA-256 differs from the one in run.json. Restore the file, or copy the experiment and start a run of your own';

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
        : `is not the one that the run used: ${otherFileRemedy}`;
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
