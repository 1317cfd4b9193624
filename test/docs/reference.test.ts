import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageText } from '../../scripts/reference/page.ts';
import { referencePages } from '../../scripts/reference/pages.ts';
import { project } from '../helpers/synthesize.ts';

describe.each(referencePages.map((page) => page()))('$file', (page) => {
  const text = readFileSync(path.join(project, page.file), 'utf8');

  it('is what the sources say (npm run generate)', async () => {
    expect(await pageText(page)).toBe(text);
  });

  it('has no row that is longer than a screen, unless a single word is', () => {
    const long = text.split('\n').filter((line) => line.length > 130);
    expect(long.filter((line) => line.trim().split(' ').length > 2)).toEqual([]);
  });

  it('describes each of its entries', () => {
    expect(text.split('\n').filter((line) => /^- `[^`]+`:?$/.test(line))).toEqual([]);
  });
});
