import path from 'node:path';
import { html } from '../media/markup.ts';
import { escape } from '../media/markdown-text.ts';
import type { RepeatFile } from '../view/repeat.ts';
import { onFile, type Part, type Section } from './section.ts';
import { withNoun } from '../../contract/format.ts';

/** How to repeat and verify the run, with the files that it was made from. */
export const repeatSection: Section = {
  id: 'repeating',
  shownIn: onFile,
  depth: 'folded',
  navLabel: 'Repeat',
  blocks: ({ view: { repeat } }) => [
    {
      title: 'Repeat this',
      ...(repeat.files.length > 0 && {
        summary: withNoun(repeat.files.length, 'file'),
      }),
      parts: [{ kind: 'terms', terms: repeat.terms }, ...(repeat.files.length > 0 ? filesOf(repeat.files) : [])],
    },
  ],
};

function filesOf(files: readonly RepeatFile[]): Part[] {
  return [
    { kind: 'paragraph', text: 'It was made from these files:' },
    {
      kind: 'own',
      terminal: () => [],
      markdown: () => [files.map(({ name, words }) => `- ${escape(`${name} (${words})`)}`).join('\n')],
      page: () =>
        html`<ul>
          ${files.map(({ name, bytes, words }) => html`<li>${bytes === null ? name : download(name, bytes)} (${words})</li>`)}
        </ul>`,
    },
  ];
}

/** The file itself is in the link: it is saved without asking anybody, also where the page was sent alone. */
function download(name: string, bytes: Uint8Array) {
  const content = Buffer.from(bytes).toString('base64');
  return html`<a download="${path.posix.basename(name)}" href="data:text/plain;charset=utf-8;base64,${content}"
    >${name}</a
  >`;
}
