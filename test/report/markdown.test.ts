import { describe, expect, it } from 'vitest';
import { firstScreen } from '../../runner/report/first-screen/model.ts';
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

  it('has the first screen before what is folded: question, answer, what else changed, doubts, and what to do next', async () => {
    const text = renderMarkdown(await sampleResult());
    const [front = ''] = text.split('<details>');
    const lines = front.split('\n').filter((line) => line !== '');
    expect(lines.length).toBeLessThanOrEqual(36);
    const { headline, lead } = firstScreen(reported(await sampleResult())).answer;
    expect(lines.slice(1, 3)).toEqual([`**${headline}**`, lead]);
    expect(front).toContain('plan dlv-pgbench');
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
