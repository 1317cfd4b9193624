import { html } from '../../runner/report/media/markup.ts';
import { everywhere, type PlacedSection } from '../../runner/report/sections/section.ts';

/** A layout that no table has: a strip for each variant, with a mark for each of its trials in the order of time. */
export const stripsSection: PlacedSection = {
  shownIn: everywhere,
  id: 'strips',
  styles: `
.strips { display: flex; gap: 3px; }
.strips .failed { background: var(--bad); }
`,
  blocks({ result: { variants, trials } }) {
    const strips = variants.map(({ name }) => ({
      name,
      states: trials.filter(({ conditions }) => conditions.variant === name).map(({ state }) => state),
    }));
    const lines = strips.map(
      ({ name, states }) => `${states.map((state) => (state === 'finished' ? '■' : '□')).join('')} ${name}`,
    );
    return [
      {
        title: 'Trials in strips',
        parts: [
          {
            kind: 'own',
            terminal: ({ columns }) => lines.map((line) => line.slice(0, columns)),
            markdown: () => [['```', ...lines, '```'].join('\n')],
            page: () => html`
              ${strips.map(
                ({ name, states }) =>
                  html`<div class="strips" title="${name}">
                    ${states.map((state) => html`<span class="${state}">${state}</span>`)}
                  </div>`,
              )}
            `,
          },
        ],
      },
    ];
  },
};
