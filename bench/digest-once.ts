import { digestLogs } from '../runner/workloads/pgbench/log/digest-log.ts';

/** Digests the named logs in a process of its own. Prints what that took as JSON: seconds, and peak memory in bytes. */
const start = performance.now();
const { transactions } = await digestLogs(process.argv.slice(2));
const seconds = (performance.now() - start) / 1000;
const peakBytes = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify({ transactions, seconds, peakBytes }));
