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
  ['compare of candidates of long names', ['compare', 'long', 'long']],
];
const successes: Command[] = [
  ['--help', ['--help']],
  ...comparisons,
  ['plan quick', ['plan', 'quick', '--seed', '1', '-p', 'local']],
  ['plan of variants of long names', ['plan', 'long.yaml', '--prices', 'kept', '--seed', '1']],
  ['parse', ['parse', 'outputs/progress-rate-limit.out']],
];
const errors: Command[] = [
  ['an unknown option', ['plan', 'quick', '--prises', 'live']],
  ['an unknown metric', ['compare', 'one', 'one', '--metric', 'latency.p90']],
];
// With a PostgreSQL it would look at other programs and measure the load generator, and no two figures are the same.
const doctor: Command = ['doctor', ['doctor', '--pg-bindir', '/not/there']];

/** The width is determined in one place in the code, and test/golden has the screens of all commands at each width. */
const all = [...successes, ...errors, doctor];
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

  it.each(comparisons)('%s shows interval and verdict, in colours', (_, words) => {
    const { lines, coloured } = at(words, { columns });
    const decisive = lines.filter((line) => /^TPS {2}/.test(line));
    expect(decisive).toHaveLength(words[1] === 'one' ? 1 : 2);
    for (const line of decisive) expect(line).toMatch(/ −?\d+% to −?\d+% +(better|worse)$/);
    expect(coloured).toBe(true);
  });
});

describe.each(silent)('in $name', ({ width, ...terminal }) => {
  it.each(all)(`%s is as in ${width === null ? 'no terminal' : `${width} columns`}`, (_, words) => {
    expect(at(words, terminal).lines).toEqual(at(words, { columns: width }).lines);
  });
});

describe('without a terminal', () => {
  it.each(all)('%s says every word that there is, and breaks no text', (_, words) => {
    const { lines } = at(words, { columns: null });
    const inWide = at(words, { columns: wide }).lines;
    expect(wordsIn(lines)).toEqual(wordsIn(inWide));
    expect(lines.length).toBeLessThanOrEqual(inWide.length);
  });
});

describe('a command line', () => {
  it('shows no colours where there is no terminal', () => {
    for (const [, words] of all) expect(at(words, { columns: null }).coloured).toBe(false);
  });

  it('ends with the same exit code in any terminal', () => {
    const exitCodes = (commands: readonly Command[]) =>
      commands.flatMap(([, words]) => widths.map((columns) => at(words, { columns }).exitCode));
    expect(new Set(exitCodes(successes))).toEqual(new Set([0]));
    expect(new Set(exitCodes(errors))).toEqual(new Set([2]));
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
    ...all.map(([, words]): TerminalCommand => ({ words, columns: null })),
    ...all.flatMap(([, words]) => silent.map(({ name: _, width: __, ...terminal }) => ({ words, ...terminal }))),
  ];
  const found = await inTerminals(commands, folder);
  return new Map(commands.map(({ words, ...terminal }, index) => [keyOf(words, terminal), found[index] as Shown]));
}

function makeFolder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'width-'));
  const project = path.resolve(import.meta.dirname, '../..');
  symlinkSync(path.join(project, 'experiments'), path.join(made, 'experiments'));
  symlinkSync(path.join(project, 'test/fixtures/pgbench/15.18'), path.join(made, 'outputs'));
  return made;
}

async function saveResults(): Promise<void> {
  // The longest names that are allowed.
  const [long, other] = ['with-a-dedicated-log-volume-of-3000-iops', 'with-a-dedicated-log-volume-of-6000-iops'];
  const variants = {
    one: { 'without-log-volume': 1, 'with-log-volume': 1.31 },
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
