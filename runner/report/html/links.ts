import { citedSources } from '../../analysis/explanation/name-cause.ts';
import type { Result } from '../../contract/result.ts';
import { html, type Markup } from '../media/markup.ts';

/** Shows a text with links where it names something that a reader can open. */
export type Linked = (text: string) => Markup;

/** Where the raw files of a trial are, beside the page. */
export function trialFolder(id: string): string {
  return `trials/${encodeURIComponent(id)}/`;
}

/** The page's own files that its texts name. */
const files = ['result.json', 'pairs.csv', 'report.md'];

/**
 * Links the trials of the result, the files beside the page, and the sources that pgduet itself cites. A result may hold
 * any text, so no other address in it becomes a link.
 */
export function linksFor({ trials, explanations = [] }: Pick<Result, 'trials' | 'explanations'>): Linked {
  const cited = explanations
    .flatMap(({ mechanisms }) => mechanisms.flatMap(({ sources }) => sources))
    .filter((source) => citedSources.has(source));
  const places = new Map([
    ...files.map((file): [string, string] => [file, file]),
    ...trials.map(({ id }): [string, string] => [id, trialFolder(id)]),
    ...cited.map((source): [string, string] => [source.replace(/^https:\/\//, ''), source]),
  ]);
  // Of two that begin alike, the longer one.
  const names = [...places.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\w./-])(?:https://)?(${names.map(literal).join('|')})(?![\\w/-]|\\.\\w)`, 'g');
  return (text) => {
    const parts = text.split(pattern);
    // The odd ones are names: `split` keeps what the group matched.
    return html`${parts.map((part, index) => (index % 2 === 0 ? part : link(part, places.get(part) ?? '')))}`;
  };
}

function link(name: string, to: string): Markup {
  return to.startsWith('https:')
    ? html`<a href="${to}" rel="noreferrer">${name}</a>`
    : html`<a href="${to}">${name}</a>`;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
