import { parseArgs } from 'node:util';
import { killAndResume } from './kill-and-resume.ts';

/** node bin/run.mjs test/faults/run-kill-and-resume.ts --count 50 --seed 1 */
const { values } = parseArgs({
  options: { count: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});
const start = Date.now();
const runs = await killAndResume({
  count: Number(values.count),
  seed: Number(values.seed),
  say: (line) => void process.stdout.write(`${line}\n`),
});
const violated = runs.filter(({ violations }) => violations.length > 0);
const kills = runs.reduce((total, run) => total + run.kills.length, 0);
const minutes = ((Date.now() - start) / 60_000).toFixed(1);
process.stdout.write(`${runs.length} runs, ${kills} kills in ${minutes} minutes; ${violated.length} not as planned.\n`);
process.exitCode = violated.length > 0 ? 1 : 0;
