import { createColors } from 'picocolors';
import { type Plan, plannedTrials } from '../../contract/plan.ts';
import type { OnEvent, RunEvent } from '../../contract/status.ts';
import { conditionsWords, troubleOf } from '../../contract/trial.ts';
import { TrackedStatus } from '../../experiment/plan/tracked-status.ts';
import { doingWords, expectedEnd, stepWords, trialLine, trialNumber } from './status-text.ts';
import { cutTo, wrapLines } from '../media/wrap.ts';
import { durationText, quantity } from '../../contract/format.ts';

export interface Progress {
  report: OnEvent;
  /** Writes a line that stays. */
  say: (line: string) => void;
  /** Removes the changing line. */
  end: () => void;
}

/** The terminal on which progress is shown. */
export interface ProgressTerminal {
  stderr: { write: (text: string) => unknown };
  /** The last line on stderr, which is written over again and again; null if stderr is not a terminal. */
  statusLine: { show: (text: string) => void; clear: () => void } | null;
  errorColumns: number;
  colour: boolean;
  /** Shows only warnings, and trials that failed. @default all lines that follow */
  quiet?: true;
  /** Adds a line for each step, trial and stage of a trial, with the time since the start. */
  verbose?: true;
}

/** A database that was loaded faster has a line only with `--verbose`. */
const minSecondsOfLoad = 60;

/**
 * Steps, databases that take long to load, and trials have a line unless a changing one shows them, and a wait has one in any case. Stages are only
 * for `--verbose`, and `--quiet` leaves only problems.
 */
type Line = { text: string; about: 'stage' | 'trial' | 'wait' | 'problem' };

/**
 * Shows progress. A terminal has one changing line below the lines that stay; other outputs get a line for each trial, and for each database that took long to load.
 *
 * @param metric the declared metric; the lines show its value for each trial
 */
export function showProgress(plan: Plan, metric: string, terminal: ProgressTerminal): Progress {
  const { quiet = false, verbose = false } = terminal;
  const live = quiet ? null : terminal.statusLine;
  const colour = createColors(terminal.colour);
  const startedAt = Date.now();
  const tracked = new TrackedStatus(plan, { now: () => new Date(), metric });
  const planned = plannedTrials(plan);
  let hasBegun = false;

  function write(text: string): void {
    live?.clear();
    terminal.stderr.write(`${wrapLines(text, terminal.errorColumns)}\n`);
    redraw();
  }
  function say(line: string): void {
    if (!quiet) write(line);
  }
  function redraw(): void {
    if (!live || !hasBegun) return;
    const status = tracked.status();
    const left = expectedEnd(status, new Date()).map((words) => colour.dim(`  ${words}`));
    const line = `${blockWords(status.current?.trialNumber)}${doingWords(status, colour.bold).join('  ')}${left.join('')}`;
    live.show(cutTo(line, terminal.errorColumns));
  }
  /** Such as `block 2 of 6`; empty outside of trials. */
  function blockWords(trialNumber: number | null | undefined): string {
    const block = planned[(trialNumber ?? 0) - 1]?.block;
    return block === undefined ? '' : `block ${block} of ${plan.blocks}  `;
  }
  function put({ text, about }: Line): void {
    if (about === 'problem') write(text);
    else if (about === 'wait' || (about === 'trial' && (verbose || !live))) say(text);
    else if (verbose) say(`${colour.dim(elapsed(startedAt))}  ${text}`);
  }
  // The remaining time is updated every second, also between events.
  const clock = live ? setInterval(redraw, 1000).unref() : null;

  return {
    say,
    end() {
      if (clock) clearInterval(clock);
      hasBegun = false;
      live?.clear();
    },
    report(event: RunEvent) {
      tracked.report(event);
      hasBegun ||= event.kind !== 'warning';
      const line = lineAbout(event);
      if (line) put(line);
      redraw();
    },
  };

  /** The line that stays; null if the event only moves what goes on. */
  function lineAbout(event: RunEvent): Line | null {
    const stage = (text: string): Line => ({ text, about: 'stage' });
    const done = (text: string): Line => ({ text, about: 'trial' });
    const { current, plannedTrials, trials } = tracked.status();
    const doing = `${current ? stepWords(current, plannedTrials).join('  ') : ''} ...`;
    switch (event.kind) {
      case 'step-started':
        return { text: doing, about: 'trial' };
      case 'trying-out':
      case 'stage-started':
        return stage(doing);
      case 'loading':
      case 'progress':
        return null;
      case 'loaded': {
        const text = `loaded ${conditionsWords(event.conditions)} in ${durationText(event.seconds)}`;
        return event.seconds < minSecondsOfLoad ? stage(text) : done(text);
      }
      case 'touched': {
        const { bytes, seconds } = event;
        const speed = `${quantity(bytes / Math.max(seconds, 0.001), 'bytes')} per second`;
        const what = `${quantity(bytes, 'bytes')} in ${durationText(seconds)}, ${speed}`;
        return done(`hydrated ${conditionsWords(event.conditions)}: ${what}`);
      }
      case 'load-skipped':
        return done(`${conditionsWords(event.conditions)}  already loaded`);
      case 'trial-skipped': {
        const number = trialNumber(tracked.numberOf(event.trial), plannedTrials);
        return done(`${number}  ${conditionsWords(event.trial.conditions)}  already measured`);
      }
      case 'trial-ended': {
        const trial = trials.at(-1);
        if (!trial) return null;
        const text = `${colour.dim(elapsed(startedAt))}  ${trialLine(trial, plannedTrials, terminal.colour)}`;
        return { text, about: trial.state === 'finished' ? 'trial' : 'problem' };
      }
      case 'block-repeated': {
        const why = event.because.map(troubleOf).join('; ') || 'it was cut off';
        return { text: colour.yellow(`repeating block ${event.block}: ${why}`), about: 'problem' };
      }
      case 'waiting':
        return { text: event.text, about: 'wait' };
      case 'outlook':
        return stage(event.text);
      case 'warning':
        return { text: colour.yellow(`warning: ${event.text}`), about: 'problem' };
    }
  }
}

function elapsed(startedAt: number): string {
  return durationText((Date.now() - startedAt) / 1000).padStart(9);
}
