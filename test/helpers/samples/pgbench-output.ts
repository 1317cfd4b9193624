/** Output of pgbench 15 for a run that is limited by transactions, with the numbers that matter to a test. */
export function pgbenchOutput({
  tps,
  latencyMs = 4,
  scale = 10,
  clients = 8,
  requested = 8000,
  processed = requested,
}: {
  tps: number;
  latencyMs?: number;
  scale?: number;
  clients?: number;
  requested?: number;
  processed?: number;
}): string {
  return `pgbench (15.18)
starting vacuum...end.
transaction type: <builtin: TPC-B (sort of)>
scaling factor: ${scale}
query mode: simple
number of clients: ${clients}
number of threads: 2
maximum number of tries: 1
number of transactions per client: ${requested / clients}
number of transactions actually processed: ${processed}/${requested}
number of failed transactions: 0 (0.000%)
latency average = ${latencyMs.toFixed(3)} ms
initial connection time = 12.500 ms
tps = ${tps.toFixed(6)} (without initial connection time)
`;
}
