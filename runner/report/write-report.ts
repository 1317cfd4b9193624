import path from 'node:path';
import { stringify } from 'csv-stringify/sync';
import type { Result } from '../contract/result.ts';
import type { KnownFolder } from '../files/open-folder.ts';
import { removeFilesIn, writeFileIn } from '../files/write.ts';
import { chartsFolder, isChartName } from '../storage/run-files.ts';
import { readKept } from '../storage/kept-run.ts';
import type { SeriesSource } from '../storage/series.ts';
import { chartFiles } from './chart-files.ts';
import { renderPage } from './html/page.ts';
import { renderMarkdown } from './markdown.ts';
import { visible } from './media/wrap.ts';
import { reportOf } from './report-file.ts';
import { trialsOfPair } from '../contract/comparison.ts';
import { reported } from './reported.ts';

/** Paths of the files: absolute or relative, as the folder was given. */
export interface ReportFiles {
  html: string;
  markdown: string;
  /** The same as the card of both, for scripts. */
  json: string;
  csv: string;
  /** The pictures of report.md, SVG. */
  charts: string[];
}

/**
 * Writes report.html, report.md with its pictures, report.json and pairs.csv into the folder of a result, each of them completely or not
 * at all. Pictures of an earlier report that this one does not have are removed.
 *
 * @param folder as it was before the result was read: its owner may swap it for another one in the meantime
 * @param location of the run, as its commands name it. @default the path of the folder
 * @throws {UserError} if its path now leads elsewhere
 */
export async function writeReport(
  folder: KnownFolder,
  result: Result,
  series: SeriesSource,
  location?: string,
): Promise<ReportFiles> {
  const kept = await readKept(folder, result, location);
  const of = reported(result, kept);
  const charts = chartFiles(of);
  const pictures = [...charts.values()].flat();
  const texts = {
    html: { name: 'report.html', text: await renderPage(of, series) },
    markdown: { name: 'report.md', text: renderMarkdown(result, { charts, kept }) },
    json: { name: 'report.json', text: `${JSON.stringify(reportOf(of), null, 2)}\n` },
    csv: { name: 'pairs.csv', text: pairsCsv(result) },
  };
  // A report names its pictures, so they come first.
  for (const { name, text } of [...pictures, ...Object.values(texts)]) await writeFileIn(folder, name, visible(text));
  const own = new Set(pictures.map(({ name }) => path.basename(name)));
  await removeFilesIn(folder, chartsFolder, (file) => isChartName(file) && !own.has(file));
  const at = ({ name }: { name: string }): string => path.join(folder.path, name);
  return {
    html: at(texts.html),
    markdown: at(texts.markdown),
    json: at(texts.json),
    csv: at(texts.csv),
    charts: pictures.map(at),
  };
}

/**
 * Makes pairs.csv for spreadsheets and scripts: a row for each pair of values that an estimate used, and no others. A text that
 * a spreadsheet would run, such as `=HYPERLINK(`, begins with an apostrophe; numbers stay as they are.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function pairsCsv({ comparisons, unverified }: Pick<Result, 'comparisons' | 'unverified'>): string {
  const levels = [...new Set(comparisons.flatMap(({ conditions }) => Object.keys(conditions)))];
  const header = [
    ...['metric', 'unit', 'primary', 'baseline_variant', 'candidate_variant', ...levels],
    // A pair may be the mean of several trials of either side: their numbers, with spaces in between.
    ...['scope', 'blocks', 'attempts', 'replicas', 'exchange', 'baseline', 'candidate', 'change'],
    ...(unverified ? ['verified'] : []),
  ];
  const rows = comparisons.flatMap(({ metric, unit, primary, conditions, baseline, candidate, scope, pairs }) =>
    pairs.map((pair) => {
      const trials = trialsOfPair(pair);
      return [
        ...[metric, unit, String(primary), baseline.variant, candidate.variant],
        ...levels.map((name) => conditions[name]),
        scope,
        ...(['block', 'attempt', 'replica'] as const).map((name) =>
          trials
            .map((trial) => trial[name])
            .join(' ')
            .trim(),
        ),
        ...[pair.exchange, pair.baseline, pair.candidate, pair.change],
        ...(unverified ? ['no'] : []),
      ];
    }),
  );
  return stringify([header, ...rows], { escape_formulas: true });
}
