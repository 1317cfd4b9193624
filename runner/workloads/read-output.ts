import { setImmediate } from 'node:timers/promises';
import { UserError } from '../contract/errors.ts';
import type { ToolRun } from '../contract/tool-output.ts';
import { tools } from './registry.ts';

const runsAtOnce = 100;
/**
 * Outputs of thousands of runs are smaller than this, and so is that of a run of 40 hours that prints its progress each
 * second. Reading more would delay Ctrl-C.
 */
export const maxOutputBytes = 16 * 2 ** 20;

/**
 * Reads saved output of any tool: every start in it, also those that failed, or of which a part is missing.
 *
 * @param source name of the text in messages
 * @throws {UserError} if the text has no start of any tool; the signal's reason if it aborted
 */
export async function readOutput(text: string, source: string, signal: AbortSignal): Promise<ToolRun[]> {
  const readers = await Promise.all(tools.map((tool) => tool.outputReader()));
  const runs: ToolRun[] = [];
  for (const { parse } of readers) {
    for (const run of parse(text)) {
      runs.push(run);
      // Lets other work run, such as the handler of Ctrl-C.
      if (runs.length % runsAtOnce === 0) await setImmediate();
      signal.throwIfAborted();
    }
    if (runs.length > 0) return runs;
  }
  if (text.trim() === '') throw new UserError(`${source}: the file is empty; expected the output of a pgbench run.`);
  const other = readers.map(({ otherwise }) => otherwise?.(text) ?? null).find((what) => what !== null);
  throw new UserError(`${source}: ${other ?? otherOutput(text) ?? unknown}.`);
}

const unknown = 'this is not the output of pgbench: it has no "transaction type:", no progress and no version';

/** Other outputs that people may pass here. Lines that nothing else prints identify each of them. */
const outputs: readonly { what: string; sign: RegExp; instead?: string }[] = [
  {
    // Every other byte of it is 0.
    what: 'text in UTF-16',
    sign: /^\uFFFD{0,2}([^\0]\0|\0[^\0]){8}/,
    instead: 'convert it first: iconv -f UTF-16 -t UTF-8',
  },
  {
    what: 'what pgbench -i prints while it fills its tables',
    sign: /^(dropping old tables|creating tables)\.\.\.|^\d+ of \d+ tuples \(\d+%\) (done|of pgbench_accounts)/m,
  },
  {
    what: 'a script that pgbench --show-script prints, or its list of scripts',
    sign: /^(?:-- )?[ \t]*(?:tpcb-like|simple-update|select-only): <builtin: /m,
    instead: 'it holds no run',
  },
  {
    what: 'a log that pgbench -l wrote',
    sign: /^((\d+ ){3,5}\d{10} \d+( \d+)*|\d{10}( \d+){5,14})\r?$/m,
    instead: 'pgduet digest reads it',
  },
  { what: 'the output of BenchBase', sign: /com\.oltpbenchmark\.|Rate limited reqs\/s: / },
  { what: 'the output of YCSB', sign: /^\[OVERALL\], (RunTime|Throughput)/m },
  { what: 'the output of tpcc-mysql', sign: /^<TpmC>|^[ \t]*\[transaction percentage\]/m },
  { what: 'the output of go-tpc', sign: /^tpmC: [\d.]+|^\[(Summary|Current)\] NEW_ORDER - /m },
  { what: 'the output of fio', sign: /^fio-\d/m },
  { what: 'the output of pg_test_fsync', sign: /^Compare file sync methods using /m },
  { what: 'the output of mysqlslap', sign: /^[ \t]*Average number of seconds to run all queries: /m },
];

/** What a text is that none of our tools has printed, and what to do with it; null if it is unknown. */
function otherOutput(text: string): string | null {
  const found = outputs.find(({ sign }) => sign.test(text));
  return found
    ? `this is ${found.what}; ${found.instead ?? 'pgduet reads the outputs of pgbench, HammerDB and sysbench'}`
    : null;
}
