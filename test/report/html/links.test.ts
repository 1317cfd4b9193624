import { describe, expect, it } from 'vitest';
import { citedSources } from '../../../runner/analysis/explanation/name-cause.ts';
import { linksFor } from '../../../runner/report/html/links.ts';
import { changedSample } from '../../helpers/samples/changed-sample.ts';
import { sampleResult } from '../../helpers/samples/sample-result.ts';

const trial = 'block-01-1-without-log-volume';

describe('links in texts of the page', () => {
  it('lead from a trial that is named to its raw files, and from a file to the file', async () => {
    const linked = linksFor(await sampleResult());
    expect(linked(`slow (${trial}, and 2 more); see result.json.`).text).toBe(
      `slow (<a href="trials/${trial}/">${trial}</a>, and 2 more); see <a href="result.json">result.json</a>.`,
    );
  });

  it('lead to no part of a longer name', async () => {
    const linked = linksFor(await sampleResult());
    for (const text of [`${trial}-repeat-2`, `old/${trial}`, `other/result.json`, 'result.jsonl']) {
      expect(linked(text).text, text).toBe(text);
    }
  });

  it('lead to a source that pgduet cites, and to no other address of a result', async () => {
    const own = 'https://www.postgresql.org/docs/current/wal-configuration.html';
    const foreign = 'https://example.org/owned';
    expect(citedSources).toContain(own);
    const { result } = await changedSample({}, () => undefined);
    for (const { mechanisms } of result.explanations ?? []) {
      for (const mechanism of mechanisms) mechanism.sources = [own, foreign];
    }
    const text = linksFor(result)(`${own}, ${foreign}, example.org/owned`).text;
    expect(text).toBe(
      `<a href="${own}" rel="noreferrer">${own.replace('https://', '')}</a>, ${foreign}, example.org/owned`,
    );
  });

  it('escape everything around them', async () => {
    expect(linksFor(await sampleResult())(`<b>${trial}</b>`).text).toBe(
      `&lt;b&gt;<a href="trials/${trial}/">${trial}</a>&lt;/b&gt;`,
    );
  });
});
