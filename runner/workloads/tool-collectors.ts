import type { Collector } from '../collect/collector.ts';
import { tools } from './every-tool.ts';

/** The collectors of all tools, each once: tools that run the same program share a collector. */
export const toolCollectors: readonly Collector[] = [...new Set(tools.flatMap(({ collectors }) => collectors))];
