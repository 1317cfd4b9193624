import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { breakages } from './breakages.ts';
import { allCases, type Case } from './cases.ts';
import { runSuite } from './suite.ts';
import { summaryTable } from './summary.ts';

/** `npm run faults`: docs/faults.md */
const project = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '3' },
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
const wanted = (['place', 'target', 'kind', 'phase'] as const).filter((name) => values[name] !== undefined);
const cases = allCases
  .filter((one: Case) => wanted.every((name) => (values[name] ?? '').split(',').includes(one[name])))
  .filter((one) => breakage?.cases(one) ?? true);
if (cases.length === 0) throw new Error('There is no such case.');
const numbers =
  values.only === undefined
    ? Array.from({ length: Number(values.count) }, (_, index) => index + 1)
    : values.only.split(',').map(Number);

const startedAt = Date.now();
const outcomes = await runSuite({
  ...{ seed: Number(values.seed), numbers, cases, project, breakage, atOnce: Number(values['at-once']) },
  repeat: [
    `npm run faults -- --seed ${values.seed}`,
    ...(values.breakage === undefined ? [] : [`--breakage ${values.breakage}`]),
    ...wanted.map((name) => `--${name} '${values[name] ?? ''}'`),
  ].join(' '),
  say: (text) => void process.stdout.write(`${text}\n`),
});

const minutes = (Date.now() - startedAt) / 60_000;
const hits = outcomes.filter(({ what }) => what !== null).length;
const violated = outcomes.filter(({ violations }) => violations.length > 0);
const folder = path.join(project, 'dist', 'faults');
mkdirSync(folder, { recursive: true });
const file = path.join(folder, `${values.breakage ?? 'seed'}-${values.seed}.json`);
writeFileSync(file, JSON.stringify({ seed: Number(values.seed), minutes, injections: hits, outcomes }, null, 2));
process.stdout.write(
  `${summaryTable(outcomes)}\n${hits} injections in ${minutes.toFixed(1)} minutes, ${violated.length} with a violated invariant. ${file}\n`,
);
// A breakage that nothing notices is the failure.
process.exitCode = (breakage === null) === (violated.length === 0) ? 0 : 1;
