import { beforeAll, describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { chartFiles } from '../../runner/report/chart-files.ts';
import { hostileResult } from './hostile.ts';
import { reported } from '../../runner/report/reported.ts';

let lines: string[];
beforeAll(async () => {
  const { result } = await hostileResult();
  lines = renderMarkdown(result, { charts: chartFiles(reported(result)) }).split('\n');
}, 300_000);

/** A line without what was made harmless by a backslash or as an entity. */
function bare(line: string): string {
  return line.replace(/\\[!-/:-@[-`{-~]/g, '').replace(/&(amp|lt|gt|quot|#39);/g, '');
}

describe('report.md of a hostile result', () => {
  it('has no markup in it but ours', () => {
    const withHostile = lines.filter((line) => line.includes('owned'));
    expect(withHostile.length).toBeGreaterThan(20);
    for (const line of withHostile) {
      const ours = bare(line)
        .replace(/^(#{1,2}|-) /, '')
        .replace(/^\*\*(.*?)\*\*/, '$1')
        .replace(/^!\[(.*)\]\(charts\/[a-z]+(-\w+)*\.svg\)$/, '$1')
        .replace(/(^|\| )\*\*(.*?)\*\*(?= \|)/g, '$1$2');
      expect(ours.replace(/^\| | \|$| \| /g, ''), line).not.toMatch(/[<>[\]`*_|~#]/);
    }
  });

  it('keeps each row of a table in one line, with as many cells as its head', () => {
    let columns = 0;
    for (const line of lines) {
      const cells = bare(line).split('|').length;
      if (!line.startsWith('|')) columns = 0;
      else if (columns === 0) columns = cells;
      else expect(cells, line).toBe(columns);
    }
  });
});
