import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { newDraw } from '../faults/draw.ts';
import { startLocalCluster } from '../helpers/servers/local-cluster.ts';
import { messageOf, namedIn, violationsOf } from './oracle.ts';
import { type Drawn, drawParameters, grouped, readParameters } from './parameters.ts';
import { runWith } from './run.ts';

/**
 * `npm run lab -- parameters [--count 300] [--seed 1] [--together 10] [--at-once 2] [--from RUN] [--only 'NAME=VALUE;...']`: parameters of the server on one
 * side only, several in a run. What the report says of that side must be true or absent. 300 parameters take about half an hour.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    together: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '2' },
  },
});
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => interruption.abort(new Error(`interrupted by ${signal}`)));
}

/** What was found about one parameter, or about several that only together make it. */
interface Violation {
  parameters: readonly Drawn[];
  violations: readonly string[];
}

const startedAt = Date.now();
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const words = (parameters: readonly Drawn[]): string =>
  parameters.map(({ name, value }) => `${name}=${value}`).join('; ');

const drawn = values.only === undefined ? await draw() : parse(values.only);
const groups = values.only === undefined ? grouped(drawn, Number(values.together)) : [drawn];
say(`${drawn.length} parameters in ${groups.length} runs`);
const found: Violation[] = [];
let refused = 0;
const left = [...groups.entries()].slice(Number(values.from) - 1).values();
const worker = async (): Promise<void> => {
  for (const [index, group] of left) {
    say(`${index + 1} of ${groups.length} (${minutes()} min): ${words(group)}`);
    found.push(...(await judge(group)));
  }
};
await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
const folder = path.resolve(import.meta.dirname, '../../dist/parameters');
mkdirSync(folder, { recursive: true });
writeFileSync(
  path.join(folder, `seed-${values.seed}.json`),
  JSON.stringify({ seed: values.seed, drawn, found }, null, 2),
);
for (const { parameters, violations } of found) say(`VIOLATED by ${words(parameters)}:\n  ${violations.join('\n  ')}`);
say(
  `${drawn.length} parameters in ${minutes()} minutes: ${refused} refused in a sentence that names them, ${found.length} violations`,
);
process.exitCode = found.length > 0 ? 1 : 0;

function minutes(): string {
  return ((Date.now() - startedAt) / 60_000).toFixed(1);
}

async function draw(): Promise<Drawn[]> {
  const cluster = await startLocalCluster();
  try {
    return drawParameters(await readParameters(cluster), Number(values.count), newDraw(Number(values.seed), 0));
  } finally {
    await cluster.remove();
  }
}

function parse(text: string): Drawn[] {
  return text.split(';').map((one) => {
    const at = one.indexOf('=');
    return { name: one.slice(0, at).trim(), value: one.slice(at + 1).trim() };
  });
}

/** A run with all of them. Those that are refused are left out of another one, and those that violate are looked for. */
async function judge(group: readonly Drawn[]): Promise<Violation[]> {
  if (group.length === 0) return [];
  const half = Math.ceil(group.length / 2);
  let ended = await runWith(group, interruption.signal);
  let violations = violationsOf(group, ended);
  if (violations.length > 0) {
    // On a busy machine, chance and haste break short trials. What a parameter does, it does again.
    say(`  once more with ${words(group)}: ${violations.join('; ')}`);
    ended = await runWith(group, interruption.signal);
    violations = violationsOf(group, ended);
  }
  if (violations.length === 0) {
    if (ended.exitCode === 0) return [];
    const named = namedIn(ended, group);
    // A message that names all of them says which it is only if they are taken apart.
    if (named.length === group.length && group.length > 1)
      return [...(await judge(group.slice(0, half))), ...(await judge(group.slice(half)))];
    refused += named.length;
    say(`  refused: ${words(named)}: ${messageOf(ended).replaceAll(/\s+/g, ' ').slice(0, 400)}`);
    return judge(group.filter((one) => !named.includes(one)));
  }
  if (group.length === 1) {
    say(`  ${[...violations, messageOf(ended).slice(0, 1500)].join('\n  ')}`);
    return [{ parameters: group, violations }];
  }
  const inHalves = [...(await judge(group.slice(0, half))), ...(await judge(group.slice(half)))];
  if (inHalves.length === 0) say(`  only together: ${violations.join('; ')}`);
  return inHalves.length > 0 ? inHalves : [{ parameters: group, violations }];
}
