import { withNoun } from '../../contract/format.ts';
import type { SectionBlock, Section } from './section.ts';
import type { Answer } from '../answer/statement.ts';

/** The answer over all with all that it rests on, and each by itself if there are several. */
export const answersSection: Section = {
  id: 'answers',
  blocks: ({ lead, answers }) => {
    const { headline, evidence, remains } = lead;
    const text = [headline, evidence, remains].filter((part) => part !== '').join(' ');
    const { parts, ...each } = eachAnswer(answers.length > 1 ? answers : []);
    const titled =
      answers.length > 1 ? each : { title: 'The answer in full', summary: 'with its threshold and its scope' };
    return [{ ...titled, parts: [{ kind: 'paragraph', text }, ...parts] }];
  },
};

export function eachAnswer(answers: readonly Answer[]): SectionBlock {
  const items = answers.map(({ headline, evidence }) => `${headline} ${evidence}`);
  return {
    title: 'Answer for each comparison',
    summary: withNoun(answers.length, 'answer'),
    parts: [{ kind: 'list', items }],
  };
}
