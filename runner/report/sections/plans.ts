import { html } from '../media/markup.ts';
import { codeBlock, escape } from '../media/markdown-text.ts';
import { type DifferingPlans, plansOf } from '../view/plans.ts';
import { type Block, onFile, type Section } from './section.ts';
import { nounFor } from '../../contract/format.ts';

/** More would not be read. The costliest statements come first. */
const maxShown = 3;

/** Statements that some trials carry out differently: with another index, another join, or in parallel. */
export const plansSection: Section = {
  id: 'plans',
  shownIn: onFile,
  depth: 'open',
  navLabel: 'Plans',
  styles: `
.plans { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 4px 24px; margin-bottom: 18px; }
.plans > p { grid-column: 1 / -1; margin: 0; font-size: 15px; overflow-wrap: anywhere; }
.plans figure { margin: 0; min-width: 0; }
.plans pre { margin: 4px 0 0; padding: 10px 12px; background: var(--panel); font-size: 13px; line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 22em; overflow-y: auto; }
@media print {
  .plans pre { max-height: none; }
}
`,
  blocks: ({ result, counted }) => {
    const { differing, same } = plansOf(result, counted);
    if (differing.length === 0) return [];
    return [
      {
        title: 'Plans that differ',
        parts: [
          ...differing.slice(0, maxShown).map(sideBySide),
          { kind: 'paragraph', text: note(differing, same), isQuiet: true },
        ],
      },
    ];
  },
};

function note(differing: readonly DifferingPlans[], same: number): string {
  const more = differing.length - maxShown;
  return [
    'As EXPLAIN printed them after each trial that counts.',
    ...(differing.slice(0, maxShown).some(({ generic }) => generic)
      ? ['With parameters, the server may carry out another plan than the generic one.']
      : []),
    ...(more > 0
      ? [`${more} more ${nounFor(more, 'statement')} ${more === 1 ? 'has' : 'have'} plans that differ.`]
      : []),
    ...(same > 0
      ? [
          `${same === 1 ? 'One other statement has' : `${same} other statements have`} the same plan in all trials of all sides.`,
        ]
      : []),
  ].join(' ');
}

function sideBySide({ statement, plans, generic, more }: DifferingPlans): Block['parts'][number] {
  const others = more > 0 ? [`${more} more ${nounFor(more, 'plan')} of this statement.`] : [];
  return {
    kind: 'own',
    terminal: () => [],
    markdown: () => [
      escape(statement),
      ...plans.flatMap(({ sides, plan }) => [`${escape(captionOf(sides, generic))}:`, codeBlock(plan)]),
      ...others,
    ],
    page: () =>
      html`<div class="plans">
        <p><code>${statement}</code></p>
        ${plans.map(
          ({ sides, plan }) =>
            html`<figure>
              <figcaption>${captionOf(sides, generic)}</figcaption>
              <pre tabindex="0">${plan}</pre>
            </figure>`,
        )}
        ${others.map((words) => html`<p class="notes">${words}</p>`)}
      </div>`,
  };
}

function captionOf(sides: readonly string[], generic: boolean): string {
  return `${sides.join(', ')}${generic ? ' (generic plan)' : ''}`;
}
