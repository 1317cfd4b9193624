/** Output of pgbench 15 for a run that is limited by transactions, or by a time if one is given, with the numbers that matter to a test. */
export function pgbenchOutput({
  tps,
  latencyMs,
  scale = 10,
  clients = 8,
  requested = 8000,
  processed = requested,
  durationSeconds,
}: {
  tps: number;
  /** As measured with -P. Without that, pgbench takes it from the speed. */
  latencyMs?: number;
  scale?: number;
  clients?: number;
  requested?: number;
  processed?: number;
  durationSeconds?: number;
}): string {
  const latency =
    latencyMs === undefined
      ? `latency average = ${((1000 * clients) / tps).toFixed(3)} ms`
      : `latency average = ${latencyMs.toFixed(3)} ms\nlatency stddev = 1.000 ms`;
  const length =
    durationSeconds === undefined
      ? `number of transactions per client: ${requested / clients}
number of transactions actually processed: ${processed}/${requested}`
      : `duration: ${durationSeconds} s
number of transactions actually processed: ${processed}`;
  return `pgbench (15.18)
starting vacuum...end.
transaction type: <builtin: TPC-B (sort of)>
scaling factor: ${scale}
query mode: simple
number of clients: ${clients}
number of threads: 2
maximum number of tries: 1
${length}
number of failed transactions: 0 (0.000%)
${latency}
initial connection time = 12.500 ms
tps = ${tps.toFixed(6)} (without initial connection time)
`;
}
