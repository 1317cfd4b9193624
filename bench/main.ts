import { compileAll } from '../scripts/build/compile.ts';
import { benchAA } from './a-a.ts';
import { benchDigest } from './digest.ts';
import { benchOverhead } from './overhead.ts';
import { benchReport } from './report.ts';
import { benchStart } from './start.ts';
import { benchStatistics } from './statistics.ts';
import { benchStorage } from './storage.ts';
import { benchSynth } from './synth.ts';

/**
 * `npm run bench -- NAME [ARGUMENT...]`: measurements of pgduet itself. Each prints its result, and some write it into
 * docs/.
 */
const benches: Record<string, (...args: string[]) => Promise<void> | void> = {
  'a-a': benchAA,
  digest: benchDigest,
  overhead: benchOverhead,
  report: benchReport,
  start: benchStart,
  statistics: benchStatistics,
  storage: benchStorage,
  synth: benchSynth,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = benches[name];
if (bench) {
  // What is measured is what a package has.
  await compileAll();
  await bench(...args);
} else {
  process.stderr.write(`There is no bench "${name}"; there are: ${Object.keys(benches).join(', ')}.\n`);
  process.exitCode = 2;
}
