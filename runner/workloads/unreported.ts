import type { ToolRun } from '../contract/tool-output.ts';

/** A run of which the output says nothing: a reader adds what it finds. */
export const unreported = {
  clientVersion: null,
  serverVersion: null,
  clients: null,
  threads: null,
  scale: null,
  scripts: [],
  transactions: null,
  failedTransactions: null,
  skippedTransactions: null,
  retriedTransactions: null,
  durationSeconds: null,
  tps: null,
  latencyAverageSeconds: null,
  latencyStddevSeconds: null,
  problems: [],
} satisfies Partial<ToolRun>;
