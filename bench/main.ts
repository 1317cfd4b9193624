import { compileAll } from '../scripts/build/compile.ts';
import { benchAA } from './a-a.ts';
import { benchDigest } from './digest.ts';
import { benchOverhead } from './overhead.ts';
import { partsOf } from './parts.ts';
import { benchReport } from './report.ts';
import { benchSeal } from './seal.ts';
import { benchStart } from './start.ts';
import { benchStatistics } from './statistics.ts';
import { benchStorage } from './storage.ts';
import { benchSynth } from './synth.ts';

/**
 * `npm run bench -- PART...`: measurements of pgduet itself, one after the other. Each prints its result, and some write
 * it into docs/. The words after a part that takes any are its own: `a-a 5`, `overhead output`, `statistics worse`.
 */
const parts = {
  'a-a': { run: benchAA, takesWords: true },
  digest: { run: benchDigest },
  overhead: { run: benchOverhead, takesWords: true },
  report: { run: benchReport },
  seal: { run: benchSeal },
  start: { run: benchStart },
  statistics: { run: benchStatistics, takesWords: true },
  storage: { run: benchStorage },
  synth: { run: benchSynth },
};

const asked = partsOf(process.argv.slice(2), parts);
if (typeof asked === 'string') {
  process.stderr.write(`${asked}\n`);
  process.exitCode = 2;
} else {
  // What is measured is what a package has.
  await compileAll();
  for (const { run, words } of asked) await run(...words);
}
