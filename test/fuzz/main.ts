import { parseArgs } from 'node:util';
import { fuzz, type FuzzReport } from './fuzz.ts';
import { makeMutant } from './mutants.ts';

/**
 * `npm run lab -- fuzz [--count N] [--first K] [--seed S] [--at-once P]` reads mutants of what pgbench wrote, from number K on.
 * `--only K` shows and reads the one mutant that a violation names. Exits with 1 if there is a violation.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '2' },
    only: { type: 'string' },
  },
});
const secondsBetweenLines = 5;
const [seed, count, first] = [values.seed, values.count, values.first].map(Number) as [number, number, number];
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => interrupted.abort());

const started = performance.now();
let lastLine = started;
const report = await (values.only === undefined ? readAll() : readOnly(Number(values.only)));
const seconds = (performance.now() - started) / 1000;
const { refused, incomplete, valid, violations } = report;
print(
  `seed ${seed}: ${report.read} mutants in ${seconds.toFixed(0)} s (${(report.read / seconds).toFixed(0)} a second)`,
);
print(`${refused} refused, ${incomplete} read as incomplete, ${valid} another valid file`);
print(`the slowest took ${report.slowestSeconds.toFixed(2)} s; a reader held at most ${mebibytes(report)} of memory`);
print(`${violations.length} violations`);
process.exitCode = interrupted.signal.aborted ? 130 : violations.length > 0 ? 1 : 0;

function readAll(): Promise<FuzzReport> {
  return fuzz({
    seed,
    first,
    count,
    atOnce: Number(values['at-once']),
    signal: interrupted.signal,
    onRead: showProgress(),
  });
}

function readOnly(number: number): Promise<FuzzReport> {
  const mutant = makeMutant(seed, number);
  print(`${mutant.name}: ${mutant.how.join(', ')}`);
  for (const { bytes } of mutant.files) print(JSON.stringify(bytes.toString('latin1')));
  return fuzz({ seed, first: number, count: 1, atOnce: 1, signal: interrupted.signal, onRead: showProgress() });
}

/** A violation at once, so that it is known also if the rest never ends; and a line every few seconds. */
function showProgress(): (report: FuzzReport) => void {
  let shown = 0;
  return (soFar) => {
    for (const { number, of, how, what } of soFar.violations.slice(shown)) {
      print(`--seed ${seed} --only ${number}: ${of}, ${how.join(', ')}: ${what.slice(0, 1000)}`);
    }
    shown = soFar.violations.length;
    const now = performance.now();
    if (now - lastLine < secondsBetweenLines * 1000) return;
    lastLine = now;
    process.stderr.write(`${soFar.read} of ${count} mutants, ${shown} violations, ${mebibytes(soFar)}\n`);
  };
}

function mebibytes({ peakBytes }: FuzzReport): string {
  return `${(peakBytes / 2 ** 20).toFixed(0)} MiB`;
}
