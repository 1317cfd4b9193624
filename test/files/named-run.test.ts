import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runFolderAt } from '../../runner/files/named-run.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

let root: string;
const at = (...names: string[]): string => path.join(root, ...names);
beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(at('results/quick/2026-11-28T10-00-00Z'), { recursive: true });
  writeFileSync(at('results/quick/2026-11-28T10-00-00Z/run.json'), '{}');
  symlinkSync('2026-11-28T10-00-00Z', at('results/quick/latest'));
});

describe('a run is named', () => {
  it.each([
    'results/quick/2026-11-28T10-00-00Z',
    'results/quick/2026-11-28T10-00-00Z/',
    'results/quick/2026-11-28T10-00-00Z/run.json',
    'results/quick/2026-11-28T10-00-00Z/result.json',
    'results/quick/latest',
  ])('by %s', (named) => {
    expect(at(runFolderAt(at(named)).slice(root.length))).toBe(at(named.replace(/\/[a-z]+\.json$/, '')));
  });

  it.each(['results/quick', 'results/quick/'])(
    'by the folder of its experiment, which stands for the latest: %s',
    (named) => {
      expect(runFolderAt(at(named))).toBe(at('results/quick/latest'));
    },
  );
});

describe('what names no run stays as it is, so that a message can show it', () => {
  it.each(['results', 'results/slow', 'results/quick/2026-11-28T11-00-00Z', 'elsewhere/file'])('%s', (named) => {
    writeFileSync(at('elsewhere'), '');
    expect(runFolderAt(at(named))).toBe(at(named));
  });

  it('a folder whose link to the latest run leads nowhere', () => {
    mkdirSync(at('results/gone'));
    symlinkSync('removed', at('results/gone/latest'));
    expect(runFolderAt(at('results/gone'))).toBe(at('results/gone'));
  });

  it('a folder that only has the name of a record', () => {
    mkdirSync(at('result.json'));
    expect(runFolderAt(at('result.json'))).toBe(at('result.json'));
  });
});
