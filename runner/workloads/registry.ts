import type { Workload } from '../contract/experiment/schema.ts';
import { UserError } from '../contract/errors.ts';
import { hammerdb } from './hammerdb/definition.ts';
import { orders } from './orders/definition.ts';
import { ownData } from './own-data/definition.ts';
import { pgbench } from './pgbench/definition.ts';
import type { Tool } from './tool.ts';

/** Every tool there is. */
export const tools: readonly Tool[] = [pgbench, ownData, orders, hammerdb];

/** @throws {UserError} if another version of pgduet has this tool, but this one does not */
export function toolOf({ tool: name }: Pick<Workload, 'tool'>): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  throw new UserError(`workload.tool is ${name}; this pgduet has ${tools.map((one) => one.name).join(', ')}.`);
}
