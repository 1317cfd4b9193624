import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../../runner/report/html/page.ts';
import type { Result } from '../../../runner/contract/result.ts';
import { sampleResult, type SampleOptions } from '../../helpers/sample-result.ts';

const samples: [string, SampleOptions][] = [
  ['six blocks', {}],
  ['two blocks and a failed trial', { blocks: 2, failedTrial: { block: 2, variant: 'with-log-volume' } }],
  ['one block', { blocks: 1, trialSeconds: 2 }],
  ['three variants', { variants: { base: 1, quick: 1.2, slow: 0.8 } }],
  ['nothing known', { silent: true }],
  ['long trials', { trialSeconds: 900 }],
];

describe.each(samples)('the page of %s', (_, options) => {
  const page = renderHtml(sampleResult(options));

  it('never shows a hole in the data as a word of the language', () => {
    expect(page).not.toMatch(/undefined|NaN|null|Infinity|\[object/);
  });

  it('asks nothing of the network and runs nothing', () => {
    expect(page).not.toMatch(/https?:|\/\/\w|@import|url\(|<script|<link|<img|<iframe/);
  });

  it('gives every figure a caption and a text in place of its picture', () => {
    const figures = page.split('<figure').slice(1);
    for (const figure of figures) {
      expect(figure).toMatch(/<figcaption>\s*<h3 id="[^"]+">[^<]+<\/h3>\s*<p>[^<]+/);
      expect(figure).toMatch(/role="img" aria-label="[^"]{40,}"/);
    }
  });

  it('says of every table head which way it points', () => {
    expect(page).not.toMatch(/<th(?! scope=| ?[a-z]*>)|<th>/);
  });

  it('uses no id twice', () => {
    const ids = [...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('renderHtml', () => {
  it('draws change, blocks, throughput and latency, each in two widths', () => {
    const page = renderHtml(sampleResult());
    expect(page.split('<figure').length - 1).toBe(4);
    expect(page.split('<svg aria-hidden="true" focusable="false" viewBox').length - 1).toBe(8);
  });

  it('draws nothing where nothing was measured', () => {
    expect(renderHtml(sampleResult({ silent: true }))).not.toContain('<figure');
  });

  it('escapes what people and tools wrote', () => {
    const attack = '<script>alert("x")</script>';
    const result = sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } });
    result.experiment.question = attack;
    result.place.caveats = [attack];
    result.warnings = [attack];
    result.variants = result.variants.map((variant) => ({ ...variant, description: attack, settings: { x: attack } }));
    result.trials = result.trials.map((trial) => (trial.state === 'finished' ? trial : { ...trial, error: attack }));
    const page = renderHtml(result);
    expect(page).not.toContain('<script');
    expect(page.split('&lt;script&gt;alert(&quot;x&quot;)').length - 1).toBeGreaterThanOrEqual(7);
  });

  it('escapes names inside charts, and takes nothing in them for a placeholder', () => {
    const sample = JSON.stringify(sampleResult({ variants: { base: 1, fast: 1.2 } }));
    const page = renderHtml(JSON.parse(sample.replaceAll('"fast"', '"a<b>{a}"')) as Result);
    expect(page).not.toContain('a<b>');
    expect(page).toContain('>a&lt;b&gt;{a}  +2');
  });

  it('says the same for the same result', () => {
    expect(renderHtml(sampleResult())).toBe(renderHtml(sampleResult()));
  });
});
