import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Place } from './cases.ts';
import { runSuite } from './suite.ts';
import { summaryTable } from './summary.ts';

const project = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    place: { type: 'string', multiple: true, default: ['folders', 'limited'] },
    'at-once': { type: 'string', default: '3' },
  },
});

const startedAt = Date.now();
const seed = Number(values.seed);
const outcomes = await runSuite({
  seed,
  numbers:
    values.only === undefined
      ? Array.from({ length: Number(values.count) }, (_, index) => index + 1)
      : values.only.split(',').map(Number),
  places: values.place as Place[],
  atOnce: Number(values['at-once']),
  project,
  say: (text) => void process.stdout.write(`${text}\n`),
});
const minutes = (Date.now() - startedAt) / 60_000;
const hits = outcomes.filter(({ what }) => what !== null).length;
const violated = outcomes.filter(({ violations }) => violations.length > 0);
mkdirSync(path.join(project, 'dist', 'faults'), { recursive: true });
const file = path.join(project, 'dist', 'faults', `seed-${seed}.json`);
writeFileSync(file, JSON.stringify({ seed, minutes, injections: hits, outcomes }, null, 2));
process.stdout.write(
  `${summaryTable(outcomes)}\n${hits} injections in ${minutes.toFixed(1)} minutes, ${violated.length} with a violated invariant. ${file}\n`,
);
process.exitCode = violated.length === 0 ? 0 : 1;
