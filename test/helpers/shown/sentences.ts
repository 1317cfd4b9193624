import type { Result } from '../../../runner/contract/result.ts';
import { viewResult } from '../../../runner/report/view/view-model.ts';

const counts = /\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/i;

/** Every sentence of a report outside of the cells of its tables, with the names of the result's variants as `NAME`. */
export function sentencesOf(result: Result): string[] {
  const view = viewResult(result);
  const texts = [
    ...view.answers.flatMap(({ headline, evidence }) => [headline, evidence]),
    ...view.costs.worth,
    ...view.ladders.flatMap(({ sentences }) => sentences),
    // The title of a mechanism is a name; what is said of it follows at once. The claims of its links stand beside their figures.
    ...view.why.flatMap(({ summary, time, mechanisms }) => [
      summary,
      ...time.notes,
      ...mechanisms.map(({ headline, evidence }) => `${headline.replace(/\.$/, ':')} ${evidence}`),
      ...mechanisms.flatMap(({ chain }) => chain.notes),
    ]),
    ...view.attention,
    ...[view.variants, view.costs.table, view.settings, view.steps, view.trials, view.checks].flatMap(
      ({ notes }) => notes,
    ),
    ...[...view.comparisons, ...view.pairs, ...view.evidence].flatMap(({ notes }) => notes),
    ...view.ladders.flatMap(({ table }) => table.notes),
  ];
  const names = [...new Set(result.variants.map(({ name }) => name))].sort((a, b) => b.length - a.length);
  const plain = (text: string): string =>
    names.reduce((all, name) => all.replaceAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'g'), 'NAME'), text);
  return [...new Set(texts.flatMap((text) => plain(text).split(/(?<=[.!?])\s+(?=[A-Z“‘])/)))];
}

/** Whether a sentence states a number, in digits or as a word. */
export function statesNumber(sentence: string): boolean {
  return /\d/.test(sentence.replace(/\bp99\b|\bp99\.9\b|\bp95\b|\bp50\b/g, '')) || counts.test(sentence);
}
