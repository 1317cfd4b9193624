import type { Result } from '../../../runner/contract/result.ts';
import { sections } from '../../../runner/report/sections/registry.ts';
import { drawnIn, type Part } from '../../../runner/report/sections/section.ts';
import { textsIn } from './printed-words.ts';
import { reported } from '../../../runner/report/reported.ts';

const counts = /\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/i;

/** Every sentence of a report outside of the cells of its tables, with the names of the result's variants as `NAME`. */
export function sentencesOf(result: Result): string[] {
  const of = reported(result);
  const texts = drawnIn('page', sections, of)
    .flatMap(({ drawn }) => drawn)
    .flatMap(({ parts }) => parts.flatMap(textsOf));
  const names = [...new Set(result.variants.map(({ name }) => name))].sort((a, b) => b.length - a.length);
  const plain = (text: string): string =>
    names.reduce((all, name) => all.replaceAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'g'), 'NAME'), text);
  return [...new Set(texts.flatMap((text) => plain(text).split(/(?<=[.!?])\s+(?=[A-Z“‘])/)))];
}

function textsOf(part: Part): readonly string[] {
  switch (part.kind) {
    case 'paragraph':
      return [part.text];
    case 'list':
      return part.items;
    case 'table':
      return part.table.notes;
    case 'terms':
    case 'pictures':
    case 'from-series':
      return [];
    case 'own':
      // The names in a picture are no sentences, as in those of `pictures`.
      return textsIn(part.page().text.replaceAll(/<figure[^]*?<\/figure>/g, ''));
  }
}

/** Whether a sentence states a number, in digits or as a word. */
export function statesNumber(sentence: string): boolean {
  return /\d/.test(sentence.replace(/\bp99\b|\bp99\.9\b|\bp95\b|\bp50\b/g, '')) || counts.test(sentence);
}
