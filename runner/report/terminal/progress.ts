import { createColors } from 'picocolors';
import { type Plan, plannedTrials } from '../../contract/plan.ts';
import { conditionsWords, troubleOf } from '../../contract/trial.ts';
import { remainingSeconds } from '../../experiment/plan/plan.ts';
import { firstLookMeasures } from '../../metrics/catalogue.ts';
import type { OnEvent, RunEvent } from '../../contract/status.ts';
import { firstLook, leftWords, tpsWords, trialNumber } from './status-text.ts';
import { wrapLines } from '../media/wrap.ts';
import { durationText, quantity, wholePercent } from '../../contract/format.ts';

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
  const trials = plannedTrials(plan);
  const numbers = new Map(trials.map(({ id }, index) => [id, index + 1]));
  const remaining = remainingSeconds(plan);
  const numberOf = (id: string): string => trialNumber(numbers.get(id) ?? null, trials.length);
  let current = '';
  let left: { seconds: number; at: number } | null = null;

  function write(line: string): void {
    live?.clear();
    terminal.stderr.write(`${wrapLines(line, terminal.errorColumns)}\n`);
    redraw();
  }
  function say(line: string): void {
    if (!quiet) write(line);
  }
  function sayInDetail(line: string): void {
    if (verbose) say(`${colour.dim(elapsed(startedAt))}  ${line}`);
  }
  function redraw(): void {
    if (!live || current === '') return;
    const howLong =
      left === null ? '' : `  ${leftWords(left.seconds - (Date.now() - left.at) / 1000, plan.until !== 'blocks')}`;
    live.show(`${current}${colour.dim(howLong)}`);
  }
  function now(text: string, leftSeconds?: number | null): void {
    current = text;
    if (leftSeconds !== undefined) left = leftSeconds === null ? null : { seconds: leftSeconds, at: Date.now() };
    redraw();
  }
  // The remaining time is updated every second, also between events.
  const clock = live ? setInterval(redraw, 1000).unref() : null;

  return {
    say,
    end() {
      if (clock) clearInterval(clock);
      current = '';
      live?.clear();
    },
    report(event: RunEvent) {
      switch (event.kind) {
        case 'step-started':
          if (live) now(event.step.kind, remaining.fromStep(event.step));
          if (verbose) sayInDetail(`${event.step.kind} ...`);
          else if (!live) say(`${event.step.kind} ...`);
          return;
        case 'loading':
          now(`${loadingWords[event.step]} ${conditionsWords(event.conditions)}  ${wholePercent(event.done)}`);
          return;
        case 'loaded':
          say(`loaded ${conditionsWords(event.conditions)} in ${durationText(event.seconds)}`);
          return;
        case 'touched': {
          const { bytes, seconds } = event;
          const speed = `${quantity(bytes / Math.max(seconds, 0.001), 'bytes')} per second`;
          say(
            `read all of ${conditionsWords(event.conditions)}: ${quantity(bytes, 'bytes')} in ${durationText(seconds)}, ${speed}`,
          );
          return;
        }
        case 'load-skipped':
          say(`${conditionsWords(event.conditions)}  already loaded`);
          return;
        case 'trying-out': {
          const words = `trying the scripts on ${conditionsWords(event.conditions)}`;
          if (live) now(words);
          else say(`${words} ...`);
          return;
        }
        case 'stage-started':
        case 'progress': {
          const { trial, stage } = event;
          const speed = event.kind === 'progress' && event.tps !== null ? `  ${tpsWords(event.tps)}` : '';
          const seconds = event.kind === 'progress' ? `  ${durationText(event.elapsedSeconds)}` : '';
          const isNew = event.kind === 'stage-started' && stage === 'reset';
          if (event.kind === 'stage-started') {
            sayInDetail(`${numberOf(trial.id)}  ${conditionsWords(trial.conditions)}  ${stage} ...`);
          }
          now(
            `${numberOf(trial.id)}  ${colour.bold(conditionsWords(trial.conditions))}  ${stage}${seconds}${speed}`,
            isNew ? remaining.fromTrial(trial.id) : undefined,
          );
          return;
        }
        case 'trial-ended': {
          const { trial } = event;
          const outcome =
            trial.state === 'finished'
              ? firstLook(firstLookMeasures(trial.measures, metric))
              : colour.red(`${trial.state} in ${trial.failure?.stage ?? 'it'}: ${trial.failure?.error ?? ''}`);
          (trial.state === 'finished' ? say : write)(
            `${colour.dim(elapsed(startedAt))}  ${numberOf(trial.id)}  block ${trial.block}  ${conditionsWords(trial.conditions)}  ${outcome}`,
          );
          return;
        }
        case 'block-repeated':
          write(
            colour.yellow(
              `block ${event.block} is measured again: ${event.because.map(troubleOf).join('; ') || 'it was cut off'}`,
            ),
          );
          return;
        case 'trial-skipped':
          say(`${numberOf(event.trial.id)}  ${conditionsWords(event.trial.conditions)}  already measured`);
          return;
        case 'waiting':
        case 'outlook':
          say(event.text);
          return;
        case 'warning':
          write(colour.yellow(`warning: ${event.text}`));
      }
    },
  };
}

const loadingWords = { load: 'loading', touch: 'touching', snapshot: 'keeping a snapshot of' };

function elapsed(startedAt: number): string {
  return durationText((Date.now() - startedAt) / 1000).padStart(9);
}
