import { hammerdb } from './hammerdb/definition.ts';
import { orders } from './orders/definition.ts';
import { ownData } from './own-data/definition.ts';
import { pgbench } from './pgbench/definition.ts';
import type { Tool } from './tool.ts';

/** Every tool there is. */
export const tools: readonly Tool[] = [pgbench, ownData, orders, hammerdb];
