import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { project } from '../helpers/synthesize.ts';

const documentation = readFileSync(path.join(project, 'docs/security.md'), 'utf8');
const rows = documentation.split('\n').filter((line) => /^\| (?!attack |-)/.test(line));
const named = rows.map((row) => /`(test\/[^`]+\.(?:test|scenario)\.ts)`: "(.+)"\s*\|$/.exec(row));

describe('docs/security.md', () => {
  it('names a test for each defence', () => {
    expect(rows.filter((_, index) => named[index] === null)).toEqual([]);
    expect(rows.length).toBeGreaterThan(30);
  });

  it.each(named.flatMap((match) => (match === null ? [] : [[match[1] ?? '', match[2] ?? '']])))(
    'names a test that is there: %s, %s',
    (file, title) => {
      expect(existsSync(path.join(project, file)), file).toBe(true);
      const titles = [
        ...readFileSync(path.join(project, file), 'utf8').matchAll(/\(\s*(['"`])(.+?)\1,\s+(?:async )?\(/g),
      ];
      expect(titles.map(([, , text]) => text)).toContain(title);
    },
  );
});
