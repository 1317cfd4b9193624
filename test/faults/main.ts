import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { breakages } from './breakages.ts';
import { allCases, type Case } from './cases.ts';
import { cutPower } from './power/main.ts';
import { runSuite } from './suite.ts';
import { summary } from './summary.ts';

/** `npm run lab -- faults`: docs/faults.md */
const project = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    'at-once': { type: 'string' },
    power: { type: 'boolean', default: false },
    breakage: { type: 'string' },
    place: { type: 'string' },
    target: { type: 'string' },
    kind: { type: 'string' },
    phase: { type: 'string' },
  },
});

const breakage = values.breakage === undefined ? null : breakages[values.breakage];
if (breakage === undefined) {
  throw new Error(`There is no breakage ${values.breakage ?? ''}; there are: ${Object.keys(breakages).join(', ')}.`);
}
const count = Number(values.count);
const seed = Number(values.seed);
const numbers = values.only?.split(',').map(Number);

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));
}
if (values.power || breakage?.cases === 'power cut') {
  const atOnce = Number(values['at-once'] ?? '2');
  process.exit(await cutPower({ seed, count, only: numbers, atOnce, project, breakage, signal: interruption.signal }));
}
const wanted = (['place', 'target', 'kind', 'phase'] as const).filter((name) => values[name] !== undefined);
const cases = allCases
  .filter((one: Case) => wanted.every((name) => (values[name] ?? '').split(',').includes(one[name])))
  .filter((one) => typeof breakage?.cases !== 'function' || breakage.cases(one));
if (cases.length === 0) throw new Error('There is no such case.');
const repeat = [
  `npm run lab -- faults --seed ${values.seed}`,
  ...(values.breakage === undefined ? [] : [`--breakage ${values.breakage}`]),
  ...wanted.map((name) => `--${name} '${values[name] ?? ''}'`),
].join(' ');

const startedAt = Date.now();
const outcomes = await runSuite({
  seed,
  cases,
  project,
  breakage,
  repeat,
  atOnce: Number(values['at-once'] ?? '3'),
  wanted: numbers ? { numbers } : { hits: count },
  say: (text) => void process.stdout.write(`${text}\n`),
  signal: interruption.signal,
}).catch((error: unknown) => {
  // What the suite waited for is not over: nothing of it may keep the process.
  console.error(interruption.signal.aborted ? String(error) : error);
  process.exit(interruption.signal.aborted ? 130 : 1);
});

const minutes = (Date.now() - startedAt) / 60_000;
const hits = outcomes.filter(({ missed }) => missed === null).length;
const isViolated = outcomes.some(({ violations }) => violations.length > 0);
const tooFew = !numbers && hits < count;
const folder = path.join(project, 'dist', 'faults');
mkdirSync(folder, { recursive: true });
const file = path.join(folder, `${values.breakage ?? 'seed'}-${values.seed}.json`);
writeFileSync(file, JSON.stringify({ seed, minutes, hits, outcomes }, null, 2));
process.stdout.write(
  `${summary(outcomes, { minutes, repeat })}\n${tooFew ? `Only ${hits} of ${count} have hit.\n` : ''}${file}\n`,
);
// A breakage that nothing notices is the failure.
const isAsWanted = breakage === null ? !isViolated && !tooFew : isViolated;
process.exitCode = isAsWanted ? 0 : 1;
