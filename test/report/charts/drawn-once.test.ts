import { expect, it } from 'vitest';
import { chartFiles } from '../../../runner/report/chart-files.ts';
import { renderPage } from '../../../runner/report/html/page.ts';
import { reported } from '../../../runner/report/sections/section.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';

it('a picture that has one width on the page and in its file is drawn once', async () => {
  const { result, series } = await sampleRun();
  const of = reported(result);
  const drawn = new Map<string, string>();
  const files = [...(await chartFiles(of, series, drawn)).values()].flat();
  expect(drawn.size).toBe(files.length);
  // Whatever is known is shown as it is.
  const known = new Map([...drawn.keys()].map((key) => [key, `<svg data-known="${key}"></svg>`]));
  const page = await renderPage(of, series, known);
  expect([...page.matchAll(/data-known="([^"]*)"/g)].map(([, key]) => key)).toEqual([
    'trials-1, 880 px',
    'trials-2, 880 px',
  ]);
  expect(await renderPage(of, series, drawn)).toBe(await renderPage(of, series));
});
