import { quantity } from '../words/quantities.ts';
import { createColors } from 'picocolors';
import type { ExecutionEvent, Report } from '../../run/events.ts';
import { remainingSeconds } from '../../experiment/plan/remaining-seconds.ts';
import { type Plan, plannedTrials } from '../../experiment/plan/plan.ts';
import type { Trial } from '../../contract/result.ts';
import { durationText } from '../words/duration-text.ts';
import type { Io } from '../../cli/io.ts';

export interface Progress {
  report: Report;
  /** A line of its own that stays. */
  say: (line: string) => void;
  /** Takes the changing line away. */
  end: () => void;
}

/** On a terminal one changing line below the lines that stay; elsewhere a line for each event. */
export function showProgress(plan: Plan, io: Io): Progress {
  const live = io.statusLine;
  const colour = createColors(io.colour);
  const startedAt = Date.now();
  const trials = plannedTrials(plan);
  const numbers = new Map(trials.map(({ id }, index) => [id, index + 1]));
  const remaining = remainingSeconds(plan);
  const numberOf = (id: string): string => {
    const number = numbers.get(id);
    return number === undefined
      ? 'repeat'
      : `trial ${String(number).padStart(String(trials.length).length)} of ${trials.length}`;
  };
  let current = '';
  let left: { seconds: number; at: number } | null = null;

  function say(line: string): void {
    live?.clear();
    io.stderr.write(`${line}\n`);
    redraw();
  }
  function redraw(): void {
    if (!live || current === '') return;
    const about =
      left === null ? '' : `  about ${durationText(Math.max(1, left.seconds - (Date.now() - left.at) / 1000))} left`;
    live.show(`${current}${colour.dim(about)}`);
  }
  function now(text: string, leftSeconds?: number | null): void {
    current = text;
    if (leftSeconds !== undefined) left = leftSeconds === null ? null : { seconds: leftSeconds, at: Date.now() };
    redraw();
  }
  // The time left goes down between events too.
  const clock = live ? setInterval(redraw, 1000).unref() : null;

  return {
    say,
    end() {
      if (clock) clearInterval(clock);
      current = '';
      live?.clear();
    },
    report(event: ExecutionEvent) {
      switch (event.kind) {
        case 'step-started':
          if (live) now(event.step.kind, remaining.ofStep(event.step));
          else say(`${event.step.kind} ...`);
          return;
        case 'loading':
          now(`loading ${event.variant}  ${Math.round(event.done * 100)} %`);
          return;
        case 'loaded':
          say(`loaded ${event.variant} in ${durationText(event.seconds)}`);
          return;
        case 'stage-started':
        case 'progress': {
          const { trial, stage } = event;
          const speed = event.kind === 'progress' ? `  ${Math.round(event.tps).toLocaleString('en')} tps` : '';
          const seconds = event.kind === 'progress' ? `  ${durationText(event.elapsedSeconds)}` : '';
          const isNew = event.kind === 'stage-started' && stage === 'reset';
          now(
            `${numberOf(trial.id)}  ${colour.bold(trial.variant)}  ${stage}${seconds}${speed}`,
            isNew ? remaining.ofTrial(trial.id) : undefined,
          );
          return;
        }
        case 'trial-ended': {
          const { trial } = event;
          const outcome =
            trial.state === 'finished'
              ? `${Math.round(trial.run.tps ?? 0).toLocaleString('en')} tps${p99Text(trial.latency?.latencySeconds.p99)}`
              : colour.red(`${trial.state} in ${trial.stage}: ${trial.error}`);
          say(
            `${colour.dim(elapsed(startedAt))}  ${numberOf(trial.id)}  block ${trial.block}  ${trial.variant}  ${outcome}`,
          );
          return;
        }
        case 'block-repeated':
          say(colour.yellow(`block ${event.block} is measured once more: ${event.because.map(troubleOf).join('; ')}`));
          return;
        case 'trial-skipped':
          say(`${numberOf(event.trial.id)}  ${event.trial.variant}  measured before`);
          return;
        case 'warning':
          say(colour.yellow(`warning: ${event.text}`));
      }
    },
  };
}

function troubleOf(trial: Trial): string {
  if (trial.state !== 'finished') return `${trial.variant} ${trial.state}`;
  const failed = (trial.checks ?? []).filter(({ state }) => state === 'fail');
  return `${trial.variant}: ${failed.map(({ name, finding }) => `${name}: ${finding}`).join(', ')}`;
}

function p99Text(p99: number | null | undefined): string {
  return p99 === null || p99 === undefined ? '' : `, p99 ${quantity(p99, 'latency')}`;
}

function elapsed(startedAt: number): string {
  return durationText((Date.now() - startedAt) / 1000).padStart(9);
}
