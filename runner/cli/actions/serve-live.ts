import { awaitsResume } from '../../analysis/claims.ts';
import { openAddress, openFolder, type OpenedResult } from '../../analysis/open-result.ts';
import { wordsOf, UserError } from '../../contract/errors.ts';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import type { Result } from '../../contract/result.ts';
import type { OnEvent, RunStatus } from '../../contract/status.ts';
import type { Trial } from '../../contract/trial.ts';
import { type LiveOptions, LivePage } from '../../report/live/live-page.ts';
import { TrackedStatus } from '../../experiment/plan/tracked-status.ts';
import type { PlannedRun } from '../../run/run-shape.ts';
import type { RunObserver } from '../../run/here.ts';
import type { WatchedDeploy } from '../../rds/bucket/bucket-run.ts';
import type { RunStore } from '../../storage/run-store.ts';
import { type Io, say } from '../io.ts';
import { locationOf } from './present-result.ts';

/** The live page of a run on this machine, for those who carry out the run. */
export interface LiveRun extends RunObserver {
  /** Receives the events of the run, and hands them on to another listener first. */
  reportAfter: (first: OnEvent) => OnEvent;
  /** Shows the result, and ends the server. */
  showResult: (result: Result, store: RunStore) => Promise<void>;
  /** Ends the server, if it has not ended with a result. */
  end: () => Promise<void>;
}

/**
 * The address lets whoever reads it read the page, so only a terminal shows it: others may read a log.
 *
 * @throws {UserError} if there is no terminal
 */
export function requireTerminal({ statusLine }: Io): void {
  if (statusLine) return;
  throw new UserError(
    '--live: the page address is secret. Standard error is not a terminal (or CI is set), so a log could expose it. Use a terminal, or omit --live.',
  );
}

const firstReport = {
  here: 'pgduet builds interim reports between trials, so that they disturb none. The first appears after the next trial that ends while this page is open.',
  watched: 'An interim report appears a few seconds after each trial.',
};

/** Starts the server, and shows its address. */
async function openLivePage(options: LiveOptions, io: Io): Promise<LivePage> {
  const page = await LivePage.open(options);
  // In one piece, whatever the width of the terminal is: it is to be copied.
  io.stderr.write(`Live: ${page.address}\n`);
  return page;
}

/** How often the line of progress changes during a stage. */
const progressSeconds = 5;

/** Serves a page about a run on this machine while it is carried out. */
export async function openLiveRun(run: PlannedRun, options: { blind?: true | undefined }, io: Io): Promise<LiveRun> {
  const { question } = run.experiment;
  const page = await openLivePage({ question, blind: options.blind === true, firstReport: firstReport.here }, io);
  const now = (): Date => new Date();
  const metric = decidingMetric(run.experiment.decision);
  const statusAfter = (earlier: readonly Trial[]): TrackedStatus =>
    new TrackedStatus(run.plan, { earlier, now, metric });
  let status = statusAfter([]);
  let shownAt = 0;
  const show = (): void => {
    shownAt = Date.now();
    page.show(status.status(), now());
  };
  show();
  return {
    reportAfter: (first) => (event) => {
      first(event);
      status.report(event);
      const isFrequent = event.kind === 'progress' || event.kind === 'loading';
      if (!isFrequent || Date.now() - shownAt >= progressSeconds * 1000) show();
    },
    resumesAfter(earlier) {
      status = statusAfter(earlier);
      show();
    },
    async betweenTrials({ folder }) {
      if (!page.takesReports) return;
      await makeReport(page, () => openFolder(folder, { signal: io.signal }), io);
    },
    showResult(result, store) {
      const isHidden = options.blind === true && awaitsResume(result);
      const ended = { result, series: store.series, location: locationOf(store, io.workingFolder) };
      return page.end(`The run has ended: ${store.location}`, isHidden ? null : ended);
    },
    end: () => page.end('pgduet exited without a result; see the terminal.', null),
  };
}

/** The live page of a deployed run, which is made from what is in S3. This machine measures nothing. */
export async function serveWatched(
  { location, readRemote }: WatchedDeploy,
  options: { blind?: true | undefined },
  io: Io,
): Promise<{
  show: (status: RunStatus) => Promise<void>;
  showResult: (status: RunStatus) => Promise<void>;
  end: () => Promise<void>;
}> {
  const page = await openLivePage(
    { question: null, blind: options.blind === true, firstReport: firstReport.watched },
    io,
  );
  let reported = 0;
  const open = (run: string): ReturnType<typeof openAddress> =>
    openAddress(readRemote, `${location}${run}`, { signal: io.signal });
  return {
    async show(status) {
      page.show(status, new Date());
      const { run, trials } = status;
      if (run === null || !page.takesReports || trials.length === reported) return;
      reported = trials.length;
      await makeReport(page, () => open(run), io);
    },
    async showResult({ run, state }) {
      const result = run === null || options.blind ? null : await open(run).catch(() => null);
      await page.end(`The run has ended (${state}): ${location}${run ?? ''}`, result);
    },
    end: () => page.end('pgduet stopped watching the run.', null),
  };
}

/** A run is worth more than its page: if this fails, the run continues. */
async function makeReport(page: LivePage, open: () => Promise<OpenedResult>, io: Io): Promise<void> {
  try {
    await page.report(await open());
  } catch (error) {
    if (io.signal.aborted) return;
    say(`warning: could not build the live page: ${wordsOf(error)}`, io);
  }
}
