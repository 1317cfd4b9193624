import type { Collector } from '../collect/collector.ts';
import { tools } from './every-tool.ts';

/** What all tools collect. Two that run the same program share a collector. */
export const toolCollectors: readonly Collector[] = [...new Set(tools.flatMap(({ collectors }) => collectors))];
