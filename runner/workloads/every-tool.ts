import type { ToolDefinition } from './extras.ts';
import { hammerdb } from './hammerdb/definition.ts';
import { orders } from './orders/definition.ts';
import { ownData } from './own-data/definition.ts';
import { pgbench } from './pgbench/definition.ts';
import { sysbench } from './sysbench/definition.ts';

/** Every tool there is. */
export const definitions: readonly ToolDefinition[] = [pgbench, ownData, orders, hammerdb, sysbench];
