import type { Workload } from '../contract/experiment/schema.ts';
import { UserError } from '../contract/errors.ts';
import { tools } from './every-tool.ts';
import type { Tool } from './tool.ts';
import type { Collector } from '../collect/collector.ts';

/** @throws {UserError} if another version of pgduet has this tool, but this one does not */
export function toolOf({ tool: name }: Pick<Workload, 'tool'>): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  throw new UserError(
    `workload.tool is ${name}; this version of pgduet supports ${tools.map((one) => one.name).join(', ')}.`,
  );
}

/** The collectors of all tools, each once: tools that run the same program share a collector. */
export const toolCollectors: readonly Collector[] = [...new Set(tools.flatMap(({ collectors }) => collectors))];
