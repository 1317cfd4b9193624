import { type TimeKind, timeKindOf, timeKinds } from '../../metrics/transaction-time.ts';

/**
 * The colours of all pictures are CSS variables of the page, so that dark mode needs no second picture.
 *
 * Those of series are the colours of Okabe and Ito, which people with any kind of colour vision can tell apart. They are
 * darker on paper and lighter on a dark screen, so that the contrast to the background is at least 3 to 1.
 */
export const pageColours = {
  light: {
    ...{ paper: '#fff', ink: '#171b22', soft: '#555d6b', rule: '#d3d8e0', panel: '#f4f6f9', band: '#e6eaf0' },
    ...{ axis: '#7a8494', bar: '#3b4452' },
    ...{ good: '#0a5fb4', bad: '#a8480a', open: '#555d6b', note: '#b07700', link: '#171b22' },
    ...{ 'series-1': '#56657a', 'series-2': '#0067a6', 'series-3': '#007d5c' },
    ...{ 'series-4': '#a3487e', 'series-5': '#7d6a00', 'series-6': '#c65200' },
  },
  dark: {
    ...{ paper: '#14171c', ink: '#e9ecf1', soft: '#a6afbd', rule: '#363d48', panel: '#1d2229', band: '#272e38' },
    ...{ axis: '#7f8a9a', bar: '#c6ced9' },
    ...{ good: '#74b6fa', bad: '#f3a664', open: '#a6afbd', note: '#e0a93a', link: '#e9ecf1' },
    ...{ 'series-1': '#a3b0c2', 'series-2': '#5ab4ee', 'series-3': '#35c79a' },
    ...{ 'series-4': '#dd8cba', 'series-5': '#d8c24a', 'series-6': '#f5964f' },
  },
} as const satisfies Record<'light' | 'dark', Record<string, string>>;

export const ink = 'var(--ink)';
export const softInk = 'var(--soft)';
export const ruleColour = 'var(--rule)';
export const bandColour = 'var(--band)';

/**
 * The colour of each kind of time, for paper and for a dark screen. Found by search: text in the colour of the background
 * can be read on each (4.5 to 1), and any two differ by at least 0.055 in OKLab, for readers with every kind of colour
 * vision. Kinds of one family have hues near each other: blue for WAL, teal for data, red and brown for locks.
 */
export const timeColours: Readonly<Record<TimeKind, { light: string; dark: string }>> = {
  walFlush: { light: '#095caa', dark: '#37baff' },
  walInsert: { light: '#057cae', dark: '#afe2fd' },
  walFiles: { light: '#7458e1', dark: '#847ecc' },
  syncRep: { light: '#4a1592', dark: '#a559f9' },
  locks: { light: '#841505', dark: '#ca6b4a' },
  dataRead: { light: '#246c6f', dark: '#5d9796' },
  dataWrite: { light: '#4e7d74', dark: '#70b388' },
  temporaryFiles: { light: '#5c603f', dark: '#bcd088' },
  parallel: { light: '#2500fd', dark: '#e6ffad' },
  internalLocks: { light: '#934701', dark: '#e28c26' },
  sleep: { light: '#5c1b67', dark: '#d691cc' },
  asleep: { light: '#00030f', dark: '#f9fff0' },
  cpu: { light: '#2e8146', dark: '#98f96e' },
  connecting: { light: '#4f3e32', dark: '#eddbc2' },
  client: { light: '#94670e', dark: '#e6ba1b' },
  other: { light: '#505051', dark: '#c0c3c3' },
};

/** A CSS variable of the page. A kind of another version of pgduet looks like the other ones. */
export function timeColour(kind: string): string {
  return `var(--time-${timeKinds.find((known) => known.kind === kind)?.kind ?? 'other'})`;
}

/** The rules that define all variables of colours. */
export const colourStyles = `:root { ${variablesOf('light')} }
@media screen and (prefers-color-scheme: dark) {
  :root { ${variablesOf('dark')} }
}
`;

function variablesOf(look: 'light' | 'dark'): string {
  const times = timeKinds.map(({ kind }): [string, string] => [`time-${kind}`, timeColours[kind][look]]);
  return [...Object.entries(pageColours[look]), ...times].map(([name, colour]) => `--${name}: ${colour};`).join(' ');
}

/**
 * The order in which events of one kind take its shades: the first one has the colour of the kind itself. An event that is
 * not named here has the last shade.
 */
const shadesOf: Partial<Record<TimeKind, readonly string[]>> = {
  walFlush: ['LWLock:WALWrite', 'IO:WalSync', 'IO:WalWrite'],
  walInsert: ['LWLock:WALInsert', 'LWLock:WALBufMapping'],
  walFiles: ['IO:WalInitSync', 'IO:WalInitWrite'],
  syncRep: ['IPC:SyncRep'],
  locks: ['Lock:transactionid', 'Lock:tuple', 'Lock:relation'],
  dataRead: ['IO:DataFileRead', 'LWLock:BufferMapping', 'IO:DataFilePrefetch'],
  dataWrite: ['IO:DataFileWrite', 'IO:DataFileExtend', 'Lock:extend'],
  temporaryFiles: ['IO:BuffileWrite', 'IO:BuffileRead'],
  internalLocks: ['LWLock:BufferContent', 'LWLock:LockManager', 'LWLock:ProcArray'],
  sleep: ['Timeout:PgSleep'],
  cpu: ['CPU'],
  client: ['Client:ClientRead', 'Client:ClientWrite'],
};

/** How much of a kind's colour each shade has; the rest is that of the page. */
const strengths = [100, 68, 30, 18] as const;

/** Which kind's colour a wait event has, and how much of it. It depends on nothing but the name of the event. */
export function shadeOf(event: string): { kind: TimeKind; strength: number } {
  const kind = timeKindOf(event);
  const known = shadesOf[kind] ?? [];
  const place = known.indexOf(event);
  return { kind, strength: strengths[place < 0 ? Math.min(known.length, strengths.length - 1) : place] ?? 100 };
}

/**
 * The colour of a wait event, the same in every picture, at every level and on every page: the hue of its kind, as in the
 * bars of where the time of a transaction goes, in a shade of its own.
 */
export function waitColour(event: string): string {
  const { kind, strength } = shadeOf(event);
  const colour = timeColour(kind);
  return strength === 100 ? colour : `color-mix(in oklab, ${colour} ${strength}%, var(--paper))`;
}

/** How one variant looks in every picture. */
export interface MarkStyle {
  colour: string;
  /** Outline of its mark, in a box of 12 by 12 pixels around zero. */
  mark: string;
  /** Of its lines: after six variants, colours return with dashes. */
  dashes: string;
}

const marks = {
  circle: 'M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z',
  diamond: 'M0-6l6 6-6 6-6-6z',
  triangle: 'M0-5.5l6 11h-12z',
  square: 'M-5-5h10v10h-10z',
  pill: 'M-6-2a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2z',
  arrow: 'M0-6l5 12-5-3-5 3z',
};
const outlines = Object.values(marks);

/** Colour and shape of a variant, by its index: both tell variants apart. */
export function variantStyle(index: number): MarkStyle {
  const place = index % outlines.length;
  return {
    colour: `var(--series-${place + 1})`,
    mark: outlines[place] ?? marks.circle,
    dashes: index < outlines.length ? '' : '9 4',
  };
}

/** What no variant has: it stands beside one. */
export const quietStyle: MarkStyle = { colour: softInk, mark: marks.circle, dashes: '' };
