import path from 'node:path';
import { awaitsResume } from '../../analysis/claims.ts';
import type { Result } from '../../contract/result.ts';
import { renderTerminal } from '../../report/terminal/terminal.ts';
import { wrapLines } from '../../report/terminal/wrap.ts';
import { writeReport } from '../../report/write-report.ts';
import type { RunStore } from '../../storage/run-store.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { type FailOnOptions, failOnUnwanted } from '../fail-on.ts';
import type { Io } from '../io.ts';

/** Makes the report, shows the result, and says at the end where the report is. A blind run that can go on shows nothing yet. */
export async function presentResult(
  result: Result,
  store: RunStore,
  options: { blind?: true; json?: true } & FailOnOptions,
  io: Io,
): Promise<void> {
  if (options.blind && awaitsResume(result)) {
    await store.publish();
    io.setExitCode(1);
    const shown = `Its figures stay hidden (--blind), as it has not come to its end. Go on with --resume --blind, or show them with: npx pgduet report ${store.folder}`;
    io.stderr.write(`\n${wrapLines(shown, io.columns)}\n`);
    return;
  }
  await writeReport(store.known, result, store.series);
  await store.publish();
  if (options.json) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else io.stdout.write(`${renderTerminal(result, io)}\n`);
  if (!result.complete) io.setExitCode(1);
  failOnUnwanted(result.comparisons, controlsOf(result.experiment.definition), options, io);
  io.stderr.write(`\nReport: ${shownLocation(store.location, io.workingFolder)}\n`);
}

function shownLocation(location: string, workingFolder: string): string {
  if (location.startsWith('s3://')) return `${location}report.html`;
  const report = path.join(location, 'report.html');
  const shown = path.relative(workingFolder, report);
  return shown.startsWith('..') ? report : shown;
}
