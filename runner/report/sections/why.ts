import type { Why } from '../view/why.ts';
import type { Block } from './section.ts';

/** Where the time goes. A terminal has the chain of each mechanism in lines, a file has it in a table. */
export function whyBlock({ title, summary, time, mechanisms }: Why): Block {
  return {
    title,
    parts: [
      { kind: 'paragraph', text: summary },
      { kind: 'table', table: time, heading: time.title, only: ['markdown', 'page'] },
      ...mechanisms.flatMap(({ headline, evidence, chain, links }): Block['parts'] => [
        { kind: 'claim', headline, evidence },
        { kind: 'table', table: chain, layout: 'texts', only: ['markdown', 'page'] },
        ...links.flatMap(({ claim, figures }): Block['parts'] => [
          { kind: 'paragraph', lead: '→ ', text: claim, only: ['terminal'] },
          { kind: 'paragraph', lead: '  ', text: figures, isQuiet: true, only: ['terminal'] },
        ]),
      ]),
    ],
  };
}
