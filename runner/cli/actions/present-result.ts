import path from 'node:path';
import { awaitsResume } from '../../analysis/claims.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { realPath } from '../../files/look.ts';
import { renderEnd, renderLastLines, renderQuietEnd } from '../../report/terminal/end.ts';
import { renderTerminal } from '../../report/terminal/terminal.ts';
import { nextAfterRun } from './next.ts';
import type { RepeatedOptions } from './load-run-command.ts';
import { writeReport } from '../../report/write-report.ts';
import { isRemote, type RunStore } from '../../storage/run-store.ts';
import { type FailOnOptions, failOnUnwanted, type Loudness } from '../options.ts';
import { type Io, say } from '../io.ts';

/**
 * Makes the report, shows the result, and says at the end where the report is and what to do next. A blind run that can be resumed shows
 * nothing yet.
 */
export async function presentResult(
  result: Result,
  store: RunStore,
  options: { blind?: true; json?: true } & Loudness & FailOnOptions & RepeatedOptions,
  io: Io,
): Promise<void> {
  if (options.blind && awaitsResume(result)) {
    await store.publish();
    io.setExitCode(1);
    const shown = `The run is not complete, so its figures stay hidden (--blind). Continue it with --resume --blind, or show the figures with: ${ownCommand} report ${store.folder}`;
    say(`\n${shown}`, io);
    return;
  }
  await keepResult(result, store, io);
  if (options.json) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else {
    if (!options.quiet) io.stderr.write('\n');
    io.stdout.write(endText(result, options, io));
  }
  // Whatever the answer is: only trials that are missing make a run fail.
  if (!result.complete) {
    io.setExitCode(1);
    if (!awaitsResume(result) && !io.signal.aborted) say('Exit code 1: planned trials have no result.', io);
  }
  failOnUnwanted(result.comparisons, controlsOf(result.experiment.definition), options, io);
  if (options.quiet) return;
  const location = shownLocation(store.location, io.workingFolder);
  io.stderr.write(`\n${renderLastLines(location, nextAfterRun(result, location, options), io.errorColumns)}\n`);
}

/** Makes the report of a run that has ended, beside its result. */
export async function keepResult(result: Result, store: RunStore, { workingFolder }: Io): Promise<void> {
  await writeReport(store.known, result, store.series, locationOf(store, workingFolder));
  await store.publish();
}

function endText(result: Result, { quiet, verbose }: Loudness, io: Io): string {
  if (quiet) return renderQuietEnd(result, io);
  // A log has the question where the run began.
  return verbose ? renderTerminal(result, io) : renderEnd(result, { ...io, isAsked: io.statusLine === null });
}

/** A run as commands name it that are typed in the working folder: this very run, since `latest` will be another one. */
export function locationOf({ location, folder }: RunStore, workingFolder: string): string {
  return isRemote(location) ? location : nameOfRun(folder, workingFolder);
}

/** The folder of a run as commands name it that are typed in the working folder. */
export function nameOfRun(folder: string, workingFolder: string): string {
  return shownLocation(realPath(folder), realPath(workingFolder));
}

function shownLocation(location: string, workingFolder: string): string {
  if (isRemote(location)) return location;
  const shown = path.relative(workingFolder, location) || '.';
  return shown.startsWith('..') ? location : shown;
}
