import type { Result } from '../../../runner/contract/result.ts';
import { renderPage } from '../../../runner/report/html/page.ts';
import type { SeriesSource } from '../../../runner/storage/series.ts';
import { reported } from '../../../runner/report/reported.ts';

/** The page of a result, of whose folder nothing is known. */
export function renderHtml(result: Result, series: SeriesSource): Promise<string> {
  return renderPage(reported(result), series);
}
