import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

describe('renderMarkdown', () => {
  it('gives every row of a table as many cells as its head', async () => {
    const lines = renderMarkdown(await sampleResult()).split('\n');
    let head = 0;
    lines.forEach((line, index) => {
      if (!line.startsWith('|')) return;
      const cells = line.replaceAll('\\|', '').split('|').length;
      if (!lines[index - 1]?.startsWith('|')) head = cells;
      expect(cells).toBe(head);
    });
    expect(head).toBeGreaterThan(0);
  });

  it('keeps free text from becoming markup', async () => {
    const result = await sampleResult();
    result.experiment.question = 'Is <script>alert(1)</script> | *fast*?\nReally?';
    const text = renderMarkdown(result);
    expect(text).toContain('# Is &lt;script&gt;alert(1)&lt;/script&gt; \\| \\*fast\\*? Really?');
  });

  it('never shows a hole in the data as a word of the language', async () => {
    for (const silent of [true, false]) {
      expect(renderMarkdown(await sampleResult({ silent, blocks: 2 }))).not.toMatch(/undefined|NaN|null|Infinity/);
    }
  });
});
