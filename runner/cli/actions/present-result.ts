import path from 'node:path';
import type { Result } from '../../contract/result.ts';
import { renderTerminal } from '../../report/terminal/terminal.ts';
import { writeReport } from '../../report/write-report.ts';
import type { RunStore } from '../../storage/run-store.ts';
import { controlsOf } from '../../experiment/controls.ts';
import { type FailOnOptions, failOnUnwanted } from '../fail-on.ts';
import type { Io } from '../io.ts';

/** Makes the report, shows the result, and says at the end where the report is. */
export async function presentResult(
  result: Result,
  store: RunStore,
  options: { json?: true } & FailOnOptions,
  io: Io,
): Promise<void> {
  await writeReport(store.folder, result, store.series);
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
