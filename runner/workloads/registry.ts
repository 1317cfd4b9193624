import type { Collector } from '../collect/collector.ts';
import { UserError } from '../contract/errors.ts';
import type { Workload } from '../contract/experiment/schema.ts';
import type { Level } from '../contract/trial.ts';
import { definitions } from './every-tool.ts';
import type { Extras, ToolDefinition, WithInspection, WithReparse, WithValidation } from './extras.ts';
import { axesOf, listedTwice, single } from './lists.ts';
import type { Tool } from './tool.ts';

/** What nothing stands for in a tool that does not have it. */
type Optional = WithInspection<Workload> & WithValidation<Workload> & WithReparse<Workload>;

/** A tool as the rest of pgduet sees it: with all extras, and with what follows from them. */
export type FullTool = Tool &
  Omit<Extras, keyof Optional | 'listed'> &
  Partial<Optional> & {
    /** What varies besides the variants, with its values: `{ clients: [8, 16] }`. */
    axes(workload: Partial<Workload>): Record<string, readonly number[]>;
    /** The workload with the value of this level on each axis. */
    resolveLevel<W extends Workload>(workload: W, level: Level): W;
    /** All files that the workload names. */
    files(workload: Partial<Workload>): string[];
  };

/** What holds for a tool that does not say it. */
const defaults: Omit<Extras, keyof Optional> = {
  metrics: [],
  tables: [],
  collectors: [],
  listed: [],
  alternatives: [],
  refusedKeys: {},
  problems: () => [],
  experimentProblems: () => [],
  whyUnmeasured: () => null,
  prepares: () => 'never',
  scripts: () => [],
  logged: () => ({}),
  statements: ({ tool }) => [tool],
  resetSteps: {},
  defaultReset: () => ['restore', 'checkpoint'],
  trialFiles: () => [],
  loadFiles: () => [],
  programs: () => [],
  needsAddress: false,
  restores: () => null,
  growingTable: null,
  drawnTables: [],
  identityWords: {},
  conditions: [],
  outputReader: () => Promise.resolve({ parse: () => [] }),
  measuresOf: ({ tps, measures, problems }) => ({ measures: { tps, ...measures }, facts: { problems } }),
};

function complete(tool: ToolDefinition): FullTool {
  const { listed, ...whole } = { ...defaults, ...tool };
  return {
    ...whole,
    problems: (workload) => [...whole.problems(workload), ...listedTwice(workload, listed)],
    axes: (workload) => axesOf(workload, listed),
    resolveLevel: <W extends Workload>(workload: W, level: Level) => ({
      ...workload,
      ...single(workload, listed, level),
    }),
    files: (workload) => [...new Set([...whole.trialFiles(workload), ...whole.loadFiles(workload)])],
  };
}

/** Every tool there is. */
export const tools: readonly FullTool[] = definitions.map(complete);

/** @throws {UserError} if another version of pgduet has this tool, but this one does not */
export function toolOf({ tool: name }: Pick<Workload, 'tool'>): FullTool {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  throw new UserError(
    `workload.tool is ${name}; this version of pgduet supports ${tools.map((one) => one.name).join(', ')}.`,
  );
}

/** The collectors of all tools, each once: tools that run the same program share a collector. */
export const toolCollectors: readonly Collector[] = [...new Set(tools.flatMap(({ collectors }) => collectors))];
