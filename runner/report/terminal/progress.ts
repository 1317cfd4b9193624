import { createColors } from 'picocolors';
import type { Plan } from '../../contract/plan.ts';
import type { OnEvent, RunEvent } from '../../contract/status.ts';
import { conditionsWords, troubleOf } from '../../contract/trial.ts';
import { TrackedStatus } from '../../experiment/plan/tracked-status.ts';
import { doingWords, expectedEnd, stepWords, trialLine, trialNumber } from './status-text.ts';
import { wrapLines } from '../media/wrap.ts';
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
  /** Adds a line for each step and each stage of a trial, with the time since the start. */
  verbose?: true;
}

/** What goes on needs no line where a changing one shows it; `--quiet` leaves only problems. */
type Line = { text: string; about: 'step' | 'stage' | 'outcome' | 'problem' };

/**
 * Shows progress. A terminal has one changing line below the lines that stay; other outputs get a line for each event.
 *
 * @param metric the declared metric; the lines show its value for each trial
 */
export function showProgress(plan: Plan, metric: string, terminal: ProgressTerminal): Progress {
  const { quiet = false, verbose = false } = terminal;
  const live = quiet ? null : terminal.statusLine;
  const colour = createColors(terminal.colour);
  const startedAt = Date.now();
  const tracked = new TrackedStatus(plan, { now: () => new Date(), metric });
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
    live.show(`${doingWords(status, colour.bold).join('  ')}${left.join('')}`);
  }
  function put({ text, about }: Line): void {
    if (about === 'problem') write(text);
    else if (about === 'outcome') say(text);
    else if (verbose) say(`${colour.dim(elapsed(startedAt))}  ${text}`);
    else if (about === 'step' && !live) say(text);
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
    const outcome = (text: string): Line => ({ text, about: 'outcome' });
    const { current, plannedTrials, trials } = tracked.status();
    const doing = `${current ? stepWords(current, plannedTrials).join('  ') : ''} ...`;
    switch (event.kind) {
      case 'step-started':
      case 'trying-out':
        return { text: doing, about: 'step' };
      case 'stage-started':
        return { text: doing, about: 'stage' };
      case 'loading':
      case 'progress':
        return null;
      case 'loaded':
        return outcome(`loaded ${conditionsWords(event.conditions)} in ${durationText(event.seconds)}`);
      case 'touched': {
        const { bytes, seconds } = event;
        const speed = `${quantity(bytes / Math.max(seconds, 0.001), 'bytes')} per second`;
        const what = `${quantity(bytes, 'bytes')} in ${durationText(seconds)}, ${speed}`;
        return outcome(`read all of ${conditionsWords(event.conditions)}: ${what}`);
      }
      case 'load-skipped':
        return outcome(`${conditionsWords(event.conditions)}  already loaded`);
      case 'trial-skipped': {
        const number = trialNumber(tracked.numberOf(event.trial), plannedTrials);
        return outcome(`${number}  ${conditionsWords(event.trial.conditions)}  already measured`);
      }
      case 'trial-ended': {
        const trial = trials.at(-1);
        if (!trial) return null;
        const text = `${colour.dim(elapsed(startedAt))}  ${trialLine(trial, plannedTrials, terminal.colour)}`;
        return { text, about: trial.state === 'finished' ? 'outcome' : 'problem' };
      }
      case 'block-repeated': {
        const why = event.because.map(troubleOf).join('; ') || 'it was cut off';
        return { text: colour.yellow(`block ${event.block} is measured again: ${why}`), about: 'problem' };
      }
      case 'waiting':
      case 'outlook':
        return outcome(event.text);
      case 'warning':
        return { text: colour.yellow(`warning: ${event.text}`), about: 'problem' };
    }
  }
}

function elapsed(startedAt: number): string {
  return durationText((Date.now() - startedAt) / 1000).padStart(9);
}
