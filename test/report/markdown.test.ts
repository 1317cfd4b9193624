import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { reported } from '../../runner/report/reported.ts';
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

  it('has at most a dozen lines before what is folded: question, answer, figures, what got worse, doubts, how to repeat it', async () => {
    const text = renderMarkdown(await sampleResult());
    const [front = ''] = text.split('<details>');
    const lines = front.split('\n').filter((line) => line !== '');
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(lines[1]).toContain(reported(await sampleResult()).lead.headline);
    expect(front).toMatch(/\| \*\*TPS\*\* \| \*\*1,447\*\* \| \*\*1,897\*\*/);
    expect(front).toContain('Repeat: npx --no-install pgduet load-run ./ --local --seed 1');
  });

  it('folds everything else, each with what it holds and an empty line around, so that it is rendered', async () => {
    const text = renderMarkdown(await sampleResult());
    expect(text.split('<details>').length).toBe(text.split('</details>').length);
    expect(text.split('<details>').length).toBeGreaterThan(8);
    for (const [, , inside = ''] of text.matchAll(/<details><summary>([^\n]+)<\/summary>([^]*?)<\/details>/g)) {
      expect(inside.startsWith('\n\n') && inside.endsWith('\n\n')).toBe(true);
    }
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
