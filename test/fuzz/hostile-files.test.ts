import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { bindingFile } from '../../runner/rds/contract/binding.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { resultFile } from '../../runner/contract/result.ts';
import { runFile } from '../../runner/contract/run-record.ts';
import { statusFile } from '../../runner/contract/status.ts';
import { trialFile } from '../../runner/contract/trial.ts';
import { parseVersioned, type VersionedFile } from '../../runner/contract/versioned-file.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { smallExperiment } from '../helpers/samples/experiment-file.ts';
import { change, damaged } from './damage.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures');

function fixturesOf(kind: string, file: { schemaVersion: number }): unknown[] {
  const folder = path.join(fixtures, kind, `v${file.schemaVersion}`);
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as unknown);
}

function fixtureOfRun(name: string): unknown[] {
  return [JSON.parse(readFileSync(path.join(fixtures, `results/v${runFile.schemaVersion}`, name), 'utf8'))];
}

/** What is read; null if it was refused in the way that a user understands. */
function readOrRefused<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

const files: [string, VersionedFile<never>, unknown[]][] = [
  ['status', statusFile as unknown as VersionedFile<never>, fixturesOf('status', statusFile)],
  ['binding', bindingFile as unknown as VersionedFile<never>, fixturesOf('binding', bindingFile)],
  ['result', resultFile as unknown as VersionedFile<never>, fixtureOfRun('result.json')],
  ['run', runFile as unknown as VersionedFile<never>, fixtureOfRun('run.json')],
  ['trial', trialFile as unknown as VersionedFile<never>, fixtureOfRun('trials/block-01-1-with-log-volume/trial.json')],
];

describe('whatever is in a file, it is read or refused', () => {
  it.each(files)('%s', (_, file, contents) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...contents),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        (content, changes) => {
          readOrRefused(() => parseVersioned(JSON.stringify(damaged(content, changes)), 'a file', file));
        },
      ),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        readOrRefused(() => parseVersioned(text, 'a file', file));
      }),
    );
  });

  const hundredMillion = Array.from({ length: 9 }, (_, depth) =>
    depth === 0
      ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
      : `a${depth}: &a${depth} [${Array(9)
          .fill(`*a${depth - 1}`)
          .join(', ')}]`,
  ).join('\n');

  it.each([
    ['a bomb of aliases', hundredMillion],
    ['an alias of itself', 'name: &a [*a]\n'],
    ['lists in lists', '['.repeat(20_000)],
    ['maps in maps', 'a: {'.repeat(5000)],
    ['indents in indents', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['a prototype', '__proto__: {name: small}\nconstructor: {prototype: {name: small}}\n'],
    ['a merged prototype', `${stringify(smallExperiment())}"<<": {__proto__: {blocks: 1}}\n`],
    ['a huge number', `${stringify(smallExperiment())}seed: ${'9'.repeat(100_000)}\n`],
    ['an endless word', `name: ${'x'.repeat(2_000_000)}\n`],
    ['a NUL', `name: "a\\0b"\n\0`],
    ['half a character', 'name: "\\ud800"\n'],
    ['control characters', `name: "\u001b]0;owned\u0007\u009b2J\u202e"\n`],
    ['tags of code', 'name: !!js/function "function () { throw 1 }"\n'],
    ['several documents', '---\nname: a\n---\nname: b\n'],
  ])('an experiment that is %s is loaded or refused in a moment', { timeout: 60_000 }, async (_, text) => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'experiments'));
    writeFileSync(path.join(folder, 'experiments/small.yaml'), text);
    const started = performance.now();
    const { exitCode, stderr } = await runCommandLine(['plan', 'small'], { workingFolder: folder });
    expect({ exitCode, stderr }).toEqual({ exitCode: expect.toBeOneOf([0, 2]) as number, stderr });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it.each([
    ['lists', '['.repeat(501)],
    ['indents', Array.from({ length: 502 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['marks', `${'- '.repeat(300)}a`],
  ])('an experiment of %s that would use up the stack is refused before it is parsed', async (_, text) => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'small.yaml'), text);
    const { exitCode, stderr } = await runCommandLine(['plan', './small.yaml'], { workingFolder: folder });
    expect({ exitCode, stderr: stderr.replaceAll(/\s+/g, ' ') }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining('is nested or indented deeper than 500') as string,
    });
  });

  it('an experiment', () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'experiments'));
    const read = (text: string): void => {
      writeFileSync(path.join(folder, 'experiments/small.yaml'), text);
      readOrRefused(() => loadExperiment('small', { folder }));
    };
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        read(stringify(damaged(smallExperiment(), changes)));
      }),
      { numRuns: 400 },
    );
    fc.assert(fc.property(fc.string(), (text) => read(`${stringify(smallExperiment())}${text}`)));
    expect(readdirSync(folder)).toEqual(['experiments']);
  });
});
