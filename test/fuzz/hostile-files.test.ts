import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { bindingFile } from '../../runner/contract/binding.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { preflightFile } from '../../runner/contract/preflight.ts';
import { resultFile, runFile } from '../../runner/contract/result.ts';
import { statusFile } from '../../runner/contract/status.ts';
import { trialFile } from '../../runner/contract/trial.ts';
import { parseVersioned, type VersionedFile } from '../../runner/contract/versioned-file.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { smallExperiment } from '../helpers/samples/experiment-file.ts';
import { hostile } from '../sinks/hostile.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures');

function fixturesOf(kind: string, file: { schemaVersion: number }): unknown[] {
  const folder = path.join(fixtures, kind, `v${file.schemaVersion}`);
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as unknown);
}

function ofRun(name: string): unknown[] {
  return [JSON.parse(readFileSync(path.join(fixtures, `results/v${runFile.schemaVersion}`, name), 'utf8'))];
}

const strange = fc.oneof(
  fc.constantFrom(
    null,
    '',
    hostile,
    '__proto__',
    'toString',
    -1,
    0,
    1e308,
    1e-300,
    2 ** 53,
    true,
    '2026-99-99',
    '\ud800',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Which place of a value is replaced, and by what; or removed, where it is undefined. */
const change = fc.record({ at: fc.nat(), to: fc.option(strange, { nil: undefined }) });

/** Replaces something at any depth. */
function damaged(value: unknown, changes: readonly { at: number; to: unknown }[]): unknown {
  const copy = structuredClone(value);
  for (const { at, to } of changes) {
    const places = placesIn(copy);
    const [holder, key] = places[at % Math.max(1, places.length)] ?? [];
    if (holder && key !== undefined) holder[key] = to;
  }
  return copy;
}

function placesIn(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [[holder, key] as [typeof holder, string], ...placesIn(holder[key])]);
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
  ['preflight', preflightFile as unknown as VersionedFile<never>, fixturesOf('preflight', preflightFile)],
  ['result', resultFile as unknown as VersionedFile<never>, ofRun('result.json')],
  ['run', runFile as unknown as VersionedFile<never>, ofRun('run.json')],
  ['trial', trialFile as unknown as VersionedFile<never>, ofRun('trials/block-01-1-with-log-volume/trial.json')],
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
