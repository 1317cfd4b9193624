import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { citedSources } from '../../../runner/analysis/explanation/name-cause.ts';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { charts } from '../../../runner/report/charts/trials.ts';
import { pageScript } from '../../../runner/report/html/page-script.ts';
import { renderHtml } from '../../helpers/shown/render-html.ts';
import { scriptModules } from '../../../scripts/page-script.ts';
import { changedSample } from '../../helpers/samples/changed-sample.ts';
import { sampleRun, type SampleOptions } from '../../helpers/samples/sample-result.ts';

const samples: [string, SampleOptions][] = [
  ['six blocks', {}],
  ['two blocks and a failed trial', { blocks: 2, failedTrial: { block: 2, variant: 'with-log-volume' } }],
  ['one block', { blocks: 1, trialSeconds: 2 }],
  ['three variants', { variants: { base: 1, quick: 1.2, slow: 0.8 } }],
  ['nothing known', { silent: true }],
  ['long trials', { trialSeconds: 900 }],
];

describe.each(samples)('the page of %s', (_, options) => {
  let page: string;
  beforeAll(async () => {
    page = await pageOf(await sampleRun(options));
  });

  it('never shows a hole in the data as a word of the language', () => {
    expect(page.replace(pageScript, '')).not.toMatch(/undefined|NaN|null|Infinity|\[object/);
  });

  it('asks nothing of the network and runs nothing but its own script', () => {
    expect(page.split(`<script>${pageScript}</script>`)).toHaveLength(2);
    const others = page.replace(`<script>${pageScript}</script>`, '');
    const withoutSources = others.replaceAll(/<a href="https:[^"]+" rel="noreferrer">/g, (link) => {
      expect([...citedSources].some((source) => link.includes(`"${source}"`))).toBe(true);
      return '';
    });
    expect(withoutSources).not.toMatch(/https?:|\/\/\w|@import|url\(|<script|<link|<img|<iframe/);
  });

  it('allows that script by its hash, and no other', () => {
    const [, policy = ''] = /script-src ([^"]+)"/.exec(page) ?? [];
    expect(policy).toBe(`&#39;sha256-${createHash('sha256').update(pageScript).digest('base64')}&#39;`);
  });

  it('gives every figure a caption and a text in place of its picture', () => {
    const figures = page.split('<figure').slice(1);
    for (const figure of figures) {
      // The heading of a folded one is in the line that opens it.
      const [, id = ''] = /^[^>]* aria-labelledby="([^"]+)"/.exec(figure) ?? [];
      expect(page).toMatch(new RegExp(`<h([23]) id="${id}">[^<]+</h\\1>`));
      expect(figure).toMatch(/<figcaption>(\s*<h([23]) id="[^"]+">[^<]+<\/h\2>)?\s*<p>[^<]+/);
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

it.each(Object.entries(scriptModules))('%s is what npm run generate makes of its sources', async (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(await text());
});

describe('renderHtml', () => {
  it('draws the change, its robustness, the trials over time and what every chart of the registry shows, each in two widths', async () => {
    const page = await pageOf(await sampleRun());
    const figures = page.split('<figure').length - 1;
    expect(figures).toBe(3 + charts.length);
    // The panels over time take any width.
    expect(page.split('<svg aria-hidden="true" focusable="false" viewBox').length - 1).toBe(2 * (figures - 1));
  });

  it('draws nothing where nothing was measured', async () => {
    expect(await pageOf(await sampleRun({ silent: true }))).not.toContain('<figure');
  });

  it('escapes what people and tools wrote', async () => {
    const attack = '<script>alert("x")</script>';
    const options = { failedTrial: { block: 2, variant: 'with-log-volume' } };
    const attacked = await changedSample(options, ({ run, trials }) => {
      run.experiment.question = attack;
      run.place.caveats = [attack];
      run.warnings = [{ id: 'measurement', message: attack }];
      run.variants = run.variants.map((variant) => ({ ...variant, description: attack, settings: { x: attack } }));
      for (const trial of trials) if (trial.failure) trial.failure = { ...trial.failure, error: attack };
    });
    const page = await pageOf(attacked);
    expect(page.split('<script')).toHaveLength(2);
    expect(page.split('&lt;script&gt;alert(&quot;x&quot;)').length - 1).toBeGreaterThanOrEqual(7);
  });

  it('says the same for the same result', async () => {
    expect(await pageOf(await sampleRun())).toBe(await pageOf(await sampleRun()));
  });
});

function pageOf({ result, series }: OpenedResult): Promise<string> {
  return renderHtml(result, series);
}
