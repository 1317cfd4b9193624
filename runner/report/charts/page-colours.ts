/**
 * The colours of the page, by the names of their CSS variables. Those of series are the colours of Okabe and Ito, which
 * people with any kind of colour vision can tell apart. They are darker on paper and lighter on a dark screen, so that the
 * contrast to the background is at least 3 to 1.
 */
export const pageColours: Readonly<Record<'light' | 'dark', Readonly<Record<string, string>>>> = {
  light: {
    ...{ paper: '#fff', ink: '#1b1f24', soft: '#59626d', rule: '#dfe3e8', panel: '#f5f7f9', band: '#e9edf1' },
    ...{ good: '#00694b', bad: '#a83b00', open: '#59626d', note: '#b07700', link: '#0067a6' },
    ...{ 'series-1': '#56657a', 'series-2': '#0067a6', 'series-3': '#007d5c' },
    ...{ 'series-4': '#a3487e', 'series-5': '#7d6a00', 'series-6': '#c65200' },
  },
  dark: {
    ...{ paper: '#14171b', ink: '#e6e9ed', soft: '#9fa9b5', rule: '#30363e', panel: '#1c2026', band: '#272d34' },
    ...{ good: '#45c99b', bad: '#ff9459', open: '#9fa9b5', note: '#e0a93a', link: '#5ab4ee' },
    ...{ 'series-1': '#a3b0c2', 'series-2': '#5ab4ee', 'series-3': '#35c79a' },
    ...{ 'series-4': '#dd8cba', 'series-5': '#d8c24a', 'series-6': '#f5964f' },
  },
};

const variables = (look: 'light' | 'dark'): string =>
  Object.entries(pageColours[look])
    .map(([name, colour]) => `--${name}: ${colour};`)
    .join(' ');

/** Rules that define the variables. */
export const pageColourStyles = `:root { ${variables('light')} }
@media screen and (prefers-color-scheme: dark) {
  :root { ${variables('dark')} }
}
`;
