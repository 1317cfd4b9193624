import { format, resolveConfig } from 'prettier';
import { hanging, wrap } from '../../runner/report/media/wrap.ts';

/** A page of docs/reference/ that is made from the sources. */
export interface ReferencePage {
  /** Relative to the project. */
  file: string;
  title: string;
  /** What the page is made from, for those who want to change it. */
  source: string;
  introduction: string;
  /** In Markdown. */
  body: string;
}

/** The whole page, formatted. */
export async function pageText({ file, title, source, introduction, body }: ReferencePage): Promise<string> {
  const made = `<!-- Made by npm run generate from ${source}. Edit that. -->`;
  const text = [`# ${title}`, made, introduction, body].join('\n\n');
  return format(text, { ...(await resolveConfig(file)), parser: 'markdown' });
}

const columns = 120;

/** An entry of a list: what it is about, facts in a few words, and sentences. No line is longer than a page is wide. */
export function entry(term: string, facts: readonly string[], sentences: readonly string[]): string {
  const factWords = facts.filter((fact) => fact !== '').join('; ');
  const text = [factWords === '' ? '' : `${factWords}.`, ...sentences].filter((part) => part.trim() !== '').join(' ');
  return hanging('- ', `\`${term}\`: ${text}`, columns).join('\n');
}

/** A text in lines that are no longer than a page is wide. */
export const paragraph = (text: string): string => wrap(text, columns).join('\n');

/** As a sentence ends; without text, nothing. */
export function sentence(text: string): string {
  return text === '' || /[.?!]$/.test(text) ? text : `${text}.`;
}
