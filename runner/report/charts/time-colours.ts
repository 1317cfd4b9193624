import { type TimeKind, timeKinds } from '../../metrics/transaction-time.ts';

/**
 * The colour of each kind of time on the page, for paper and for a dark screen. Found by search: text in the colour of the
 * background can be read on each (4.5 to 1), and any two differ by at least 0.055 in OKLab, for readers with every kind of
 * colour vision. Kinds of one family have hues near each other: blue for WAL, teal for data, red and brown for locks.
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

const variables = (look: 'light' | 'dark'): string =>
  timeKinds.map(({ kind }) => `--time-${kind}: ${timeColours[kind][look]};`).join(' ');

/** Rules that define the variables. */
export const timeColourStyles = `
:root { ${variables('light')} }
@media screen and (prefers-color-scheme: dark) {
  :root { ${variables('dark')} }
}
`;
