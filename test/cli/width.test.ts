import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { smallExperiment } from '../helpers/samples/experiment-file.ts';
import { inTerminals, type Shown, type TerminalCommand } from '../helpers/processes/in-terminal.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { saveResult } from '../helpers/samples/saved-sample.ts';
import { brokenWords, squeezed, wordsIn } from '../helpers/shown/shown-words.ts';

type Terminal = Omit<TerminalCommand, 'words'>;
/** A name for the command, and its words. */
type Command = readonly [of: string, words: readonly string[]];

const wide = 200;
const widths = [60, 80, 120];
/** Terminals that do not tell a usable width, and the width that must be assumed; null for none. */
const silent: (Terminal & { name: string; width: number | null })[] = [
  { name: 'a terminal of 0 columns', columns: 0, width: null },
  { name: 'a terminal of 20 columns', columns: 20, width: null },
  { name: 'a terminal of 0 columns with COLUMNS', columns: 0, COLUMNS: '60', width: 60 },
];

const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));
await saveResults();

const comparisons: Command[] = [
  ['compare of one candidate', ['compare', 'one', 'one']],
  ['compare of two candidates', ['compare', 'two', 'two']],
  ['compare of candidates of long names', ['compare', 'long', 'long']],
];
// With a PostgreSQL it would look at other programs and measure the load generator, and no two figures are the same.
const doctor: Command = ['doctor', ['doctor', '--pg-bindir', '/not/there']];
const tables: Command[] = [
  ['plan quick', ['plan', 'quick', '--seed', '1', '-p', 'local']],
  ['plan dlv-pgbench', ['plan', 'dlv-pgbench', '--prices', 'kept', '--seed', '1']],
  ['plan of variants of long names', ['plan', 'long.yaml', '--prices', 'kept', '--seed', '1']],
  ['parse', ['parse', 'outputs/progress-rate-limit.out']],
  ['parse of several', ['parse', 'outputs/weights.out', 'outputs/aborted-client-timed.out']],
  ['digest', ['digest', 'logs/rate/pgbench_log.100', '--lag']],
  ['digest of aggregates', ['digest', 'logs/aggregate/pgbench_log.100']],
];
const errors: Command[] = [
  ['an unknown experiment', ['plan', 'quikc']],
  ['an experiment like no other', ['plan', 'something-else']],
  ['an unknown option', ['plan', 'quick', '--prises', 'live']],
  ['an unknown metric', ['compare', 'one', 'one', '--metric', 'latency.p90']],
  ['an unknown verb', ['plam', 'quick']],
  ['a missing argument', ['compare', 'one']],
];
const mainHelp: Command = ['--help', ['--help']];
const helps: Command[] = [
  mainHelp,
  ...verbsIn(await inTerminals([{ words: mainHelp[1], columns: wide }], folder)).map((verb): Command => [
    `${verb} --help`,
    [verb, '--help'],
  ]),
];

const all = [...helps, ...comparisons, ...tables, ...errors, doctor];
/** The width is determined in one place in the code, so one command of each kind is enough. */
const one = [mainHelp, ...comparisons.slice(0, 1), ...tables.slice(0, 4), ...errors.slice(0, 3), doctor];
const shown = await showAll();

describe.each(widths)('in a terminal of %d columns', (columns) => {
  it.each(all)('%s has no line that is longer', (_, words) => {
    expect(at(words, { columns }).lines.filter(({ length }) => length > columns)).toEqual([]);
  });

  it.each(all)('%s has no broken word, and no column of single ones', (_, words) => {
    const { lines } = at(words, { columns });
    expect(brokenWords(lines, at(words, { columns: wide }).lines)).toEqual([]);
    expect(squeezed(lines)).toEqual([]);
  });

  it.each([...helps, ...errors])('%s says every word that there is, in its order', (_, words) => {
    expect(wordsIn(at(words, { columns }).lines)).toEqual(wordsIn(at(words, { columns: wide }).lines));
  });

  it.each(comparisons)('%s shows interval and verdict, in colours', (_, words) => {
    const { lines, coloured } = at(words, { columns });
    const decisive = lines.filter((line) => /^TPS {2}/.test(line));
    expect(decisive).toHaveLength(words[1] === 'one' ? 1 : 2);
    for (const line of decisive) expect(line).toMatch(/ −?\d+ to −?\d+ % +(better|worse)$/);
    expect(coloured).toBe(true);
  });
});

describe.each(silent)('in $name', ({ width, ...terminal }) => {
  it.each(one)(`%s is as in ${width === null ? 'no terminal' : `${width} columns`}`, (_, words) => {
    expect(at(words, terminal).lines).toEqual(at(words, { columns: width }).lines);
  });
});

describe('without a terminal', () => {
  it.each(one)('%s says every word that there is, and breaks no text', (_, words) => {
    const { lines } = at(words, { columns: null });
    const inWide = at(words, { columns: wide }).lines;
    expect(wordsIn(lines)).toEqual(wordsIn(inWide));
    expect(lines.length).toBeLessThanOrEqual(inWide.length);
  });
});

describe('a command line', () => {
  it('shows no colours where there is no terminal', () => {
    for (const [, words] of one) expect(at(words, { columns: null }).coloured).toBe(false);
  });

  it.each(errors)('ends with 2 for %s, in any terminal', (_, words) => {
    for (const columns of widths) expect(at(words, { columns }).exitCode).toBe(2);
  });

  it.each([...helps, ...comparisons, ...tables])('ends with 0 for %s', (_, words) => {
    for (const columns of widths) expect(at(words, { columns }).exitCode).toBe(0);
  });

  it('has verbs', () => {
    expect(helps.map(([of]) => of)).toEqual(expect.arrayContaining(['plan --help', 'compare --help', 'load --help']));
  });
});

function keyOf(words: readonly string[], { columns, COLUMNS }: Terminal): string {
  return JSON.stringify([words, columns, COLUMNS]);
}

function at(words: readonly string[], terminal: Terminal): Shown {
  const found = shown.get(keyOf(words, terminal));
  if (!found) throw new Error(`nobody ran ${words.join(' ')}`);
  return found;
}

async function showAll(): Promise<Map<string, Shown>> {
  const commands = [
    ...all.flatMap(([, words]) => [wide, ...widths].map((columns): TerminalCommand => ({ words, columns }))),
    ...one.map(([, words]): TerminalCommand => ({ words, columns: null })),
    ...one.flatMap(([, words]) => silent.map(({ name: _, width: __, ...terminal }) => ({ words, ...terminal }))),
  ];
  const found = await inTerminals(commands, folder);
  return new Map(commands.map(({ words, ...terminal }, index) => [keyOf(words, terminal), found[index] as Shown]));
}

/** The verbs that the program's own help names. */
function verbsIn([help]: readonly Shown[]): string[] {
  const lines = help?.lines ?? [];
  const listed = lines.slice(lines.indexOf('Commands:') + 1);
  return listed.flatMap((line) => /^ {2}([a-z][a-z-]*) /.exec(line)?.[1] ?? []).filter((verb) => verb !== 'help');
}

function makeFolder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'width-'));
  const project = path.resolve(import.meta.dirname, '../..');
  symlinkSync(path.join(project, 'experiments'), path.join(made, 'experiments'));
  symlinkSync(path.join(project, 'test/fixtures/pgbench-logs/15.18'), path.join(made, 'logs'));
  symlinkSync(path.join(project, 'test/fixtures/pgbench/15.18'), path.join(made, 'outputs'));
  return made;
}

async function saveResults(): Promise<void> {
  // The longest names that are allowed.
  const [long, other] = ['with-a-dedicated-log-volume-of-3000-iops', 'with-a-dedicated-log-volume-of-6000-iops'];
  const variants = {
    one: { 'without-log-volume': 1, 'with-log-volume': 1.31 },
    two: { 'without-log-volume': 1, 'with-log-volume': 1.31, 'with-slow-storage': 0.8 },
    long: { 'without-any-log-volume-of-its-own-at-all': 1, [long]: 1.31, [other]: 1.4 },
  };
  for (const [name, of] of Object.entries(variants)) {
    await saveResult(path.join(folder, name), await sampleResult({ variants: of, blocks: 8 }));
  }
  const experiment = {
    ...smallExperiment(),
    name: 'long',
    variants: { [long]: {}, [other]: { dedicatedLogVolume: true } },
    baseline: long,
  };
  writeFileSync(path.join(folder, 'long.yaml'), stringify(experiment));
}
