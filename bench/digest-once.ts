import { digestLogs } from '../runner/workloads/pgbench/log/digest-log.ts';

/** Digests the logs named, in a process of its own: prints what that took. */
const start = performance.now();
const { transactions } = await digestLogs(process.argv.slice(2));
const seconds = (performance.now() - start) / 1000;
const peakBytes = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify({ transactions, seconds, peakBytes }));
