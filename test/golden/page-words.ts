import { unescaped } from '../helpers/shown/printed-words.ts';

const noWords = /<(script|style|head)\b[^]*?<\/\1>/g;
/** A picture without another one in it. */
const innermostPicture = /<svg\b(?:(?!<svg\b)[^])*?<\/svg>/g;
const blockTag =
  /<\/?(address|article|aside|dd|div|dl|dt|figcaption|figure|h\d|header|li|main|nav|p|pre|section|table|tr|ul)\b[^>]*>/g;

/** What a page says, a line for each block of text and each row of a table, without scripts, styles and pictures. */
export function pageWords(page: string): string {
  let words = page.replaceAll(noWords, '');
  while (innermostPicture.test(words)) words = words.replaceAll(innermostPicture, '');
  return unescaped(
    words
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/<\/t[hd]>/g, ' | ')
      .replaceAll(/<h[1-6][^>]*>/g, '\n# ')
      .replaceAll(/<summary[^>]*>/g, '\n## ')
      .replaceAll(blockTag, '\n')
      .replaceAll(/<[^>]*>/g, ''),
  )
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .map((line) => (line.startsWith('#') ? `\n${line}` : line))
    .join('\n')
    .concat('\n');
}
