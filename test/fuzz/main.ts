import { parseArgs } from 'node:util';
import { fuzz, makeMutant, withReader } from './fuzz.ts';

/** `npm run fuzz -- [--count N] [--seed S]`, or `--mutant M` for one mutant that a violation names. */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    mutant: { type: 'string' },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.mutant !== undefined) {
  const mutant = makeMutant(Number(values.mutant));
  print(`${mutant.name}: ${mutant.how.join(', ')}`);
  for (const { bytes } of mutant.files) print(JSON.stringify(bytes.toString('latin1')));
  await withReader(async (read) => print(JSON.stringify(await read(mutant), null, 2)));
} else {
  const count = Number(values.count);
  const started = performance.now();
  const report = await fuzz(count, Number(values.seed));
  const seconds = (performance.now() - started) / 1000;
  for (const { mutantSeed, of, how, what } of report.violations.slice(0, 20)) {
    print(`--mutant=${mutantSeed}: ${of}, ${how.join(', ')}: ${what.slice(0, 600)}`);
  }
  print(`seed ${values.seed}: ${count} mutants in ${seconds.toFixed(0)} s (${(count / seconds).toFixed(0)} a second)`);
  print(`${report.refused} refused, ${report.incomplete} read as incomplete, ${report.valid} another valid file`);
  print(`the slowest took ${report.slowestSeconds.toFixed(2)} s; at most ${peakMebibytes()} MiB of memory`);
  print(`${report.violations.length} violations`);
  if (report.violations.length > 0) process.exitCode = 1;
}

function peakMebibytes(): string {
  return (process.resourceUsage().maxRSS / 1024).toFixed(0);
}
