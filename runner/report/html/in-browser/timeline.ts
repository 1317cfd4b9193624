import type { PayloadPanel, TimelinePayload } from '../../timeline/payload.ts';
import { button, made } from './made.ts';

/**
 * Figures over time: one line through all panels by mouse, touch and keyboard, with the values at it below, and a switch
 * for each trial.
 */
export function equipTimelines(): void {
  for (const figure of document.querySelectorAll<HTMLElement>('.timeline')) {
    const reading = figure.querySelector<HTMLElement>('.reading');
    const stage = figure.querySelector<HTMLElement>('.stage');
    // eslint-disable-next-line no-restricted-syntax -- isPayload looks at it
    const data: unknown = JSON.parse(reading?.dataset['timeline'] ?? 'null');
    if (!reading || !stage || !isPayload(data)) continue;
    figure.querySelector('.whose')?.append(trialSwitches(figure, data));
    makeReadable(stage, data, reading);
  }
}

/** The page that holds it was made by the same version. */
function isPayload(data: unknown): data is TimelinePayload {
  return typeof data === 'object' && data !== null && 'panels' in data;
}

/** Makes the picture a slider over its clock, with a line through all panels. */
function makeReadable(stage: HTMLElement, data: TimelinePayload, reading: HTMLElement): void {
  const { step, steps } = data;
  const clock = stage.querySelector<HTMLElement>('.clock') ?? stage;
  const line = made('i', { hidden: true });
  const values = made('dl');
  reading.ariaLive = 'polite';
  reading.append(values);
  const picture = stage.querySelector('[role="img"]')?.ariaLabel ?? '';
  Object.assign(stage, {
    tabIndex: 0,
    role: 'slider',
    ariaLabel: `${picture} Arrow keys read it second by second.`,
    ariaValueMin: '0',
    ariaValueNow: '0',
    ariaValueMax: String(step * (steps - 1)),
  });
  stage.append(line);

  let now = 0;
  const show = (at: number): void => {
    now = Math.min(steps - 1, Math.max(0, at));
    line.hidden = false;
    line.style.left = `${clock.offsetLeft + (clock.offsetWidth * (now + 0.5)) / steps}px`;
    stage.ariaValueNow = String(now * step);
    stage.ariaValueText = secondsAt(now, step);
    values.replaceChildren(...readAt(data, now));
  };
  const hide = (): void => {
    line.hidden = true;
    values.replaceChildren();
  };
  const follow = ({ clientX }: PointerEvent): void => {
    const { left, width } = clock.getBoundingClientRect();
    show(Math.floor(((clientX - left) / width) * steps));
  };
  stage.addEventListener('pointermove', follow);
  stage.addEventListener('pointerdown', follow);
  stage.addEventListener('pointerleave', ({ pointerType }) => {
    // A finger leaves when it is lifted: then there is time to read.
    if (pointerType === 'mouse' && document.activeElement !== stage) hide();
  });
  stage.addEventListener('blur', hide);
  stage.addEventListener('focus', () => {
    if (line.hidden) show(now);
  });
  const moves: Record<string, () => void> = {
    ArrowLeft: () => show(now - 1),
    ArrowRight: () => show(now + 1),
    Home: () => show(0),
    End: () => show(steps - 1),
    Escape: hide,
  };
  stage.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  });
}

function secondsAt(at: number, step: number): string {
  return step === 1 ? `Second ${at}` : `Seconds ${at * step} to ${(at + 1) * step}`;
}

/** A row for each panel: its name, and the value of each line. */
function readAt({ panels, step, checkpoints, countedTrials }: TimelinePayload, at: number): HTMLElement[] {
  const inProgress = checkpoints[at];
  return [
    made('dt', {}, secondsAt(at, step)),
    made('dd', {}, inProgress ? `checkpoint under way in ${inProgress} of ${countedTrials} trials` : ''),
    ...panels.flatMap((panel) => [made('dt', {}, panel.title), valuesOf(panel, at)]),
  ];
}

function valuesOf({ lines, every, unit, decimals }: PayloadPanel, at: number): HTMLElement {
  const number = new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const spans = lines.map(({ name, colour, values }) => {
    const value = values.split(',')[Math.floor(at / every)] ?? '';
    const words = value === '' ? 'no value' : `${number.format(Number(value))}${unit === '' ? '' : `\u00a0${unit}`}`;
    return made('span', {}, swatch(colour), `${name} ${words}`);
  });
  return made('dd', {}, ...spans);
}

/** A button for each trial with lines: pressed while they are shown. */
function trialSwitches(figure: HTMLElement, { trials }: TimelinePayload): HTMLElement {
  const switches = trials.map(({ name, colour, why }, at) => {
    const lines = [...figure.querySelectorAll(`[data-trial="${at}"]`)];
    const mark = (name: string, isOn: boolean): void => lines.forEach((one) => one.classList.toggle(name, isOn));
    const made = button(
      () => {
        const isShown = made.ariaPressed !== 'true';
        made.ariaPressed = String(isShown);
        mark('off', !isShown);
      },
      swatch(colour),
      why === '' ? name : `${name} (excluded: ${why})`,
    );
    made.ariaPressed = 'true';
    made.className = why === '' ? '' : 'hollow';
    for (const type of ['pointerenter', 'focus']) made.addEventListener(type, () => mark('lit', true));
    for (const type of ['pointerleave', 'blur']) made.addEventListener(type, () => mark('lit', false));
    return made;
  });
  const list = made('div', { className: 'trials', role: 'group', ariaLabel: 'Lines of single trials' }, ...switches);
  return made('details', {}, made('summary', {}, `Single trials (${trials.length})`), list);
}

function swatch(colour: string): HTMLElement {
  const swatch = made('i');
  swatch.style.background = colour;
  return swatch;
}
