import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

/** Puts the findings of a bench between its two marks in a document of docs/reference/. */
export async function replaceTables(document: string, bench: string, tables: string): Promise<void> {
  await replaceMarked(
    fileURLToPath(new URL(`../docs/reference/${document}`, import.meta.url)),
    `bench:${bench}`,
    tables,
  );
}

/** Puts tables in the place of those with the same title, the first line of each; new ones at the end. */
export async function replaceSomeTables(document: string, bench: string, tables: readonly string[]): Promise<void> {
  const file = fileURLToPath(new URL(`../docs/reference/${document}`, import.meta.url));
  const text = await readFile(file, 'utf8');
  const known = (text.split(`<!-- bench:${bench} -->`)[1]?.split(`<!-- /bench:${bench} -->`)[0] ?? '')
    .split(/\n(?=\*\*)/)
    .map((table) => table.trim())
    .filter((table) => table !== '');
  const titleOf = (table: string): string => table.replace(/\n.*/s, '');
  const replaced = known.map((table) => tables.find((other) => titleOf(other) === titleOf(table)) ?? table);
  const added = tables.filter((table) => !known.some((other) => titleOf(other) === titleOf(table)));
  await replaceTables(document, bench, [...replaced, ...added].join('\n\n'));
}

/**
 * Puts a text between two marks of a document, such as `<!-- starts:quick -->` and `<!-- /starts:quick -->`.
 *
 * @param file path of a Markdown document
 */
export async function replaceMarked(file: string, mark: string, between: string): Promise<void> {
  await writeFile(file, await textWithMarked(await readFile(file, 'utf8'), mark, between, file));
}

/** The document with this text between the two marks. @param file its path, for the message and for how it is formatted */
export async function textWithMarked(text: string, mark: string, between: string, file: string): Promise<string> {
  const [begin, end] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const [before] = text.split(begin);
  const [, after] = text.split(end);
  if (before === undefined || after === undefined) throw new Error(`${file} has no place for ${mark}`);
  const written = `${before}${begin}\n\n${between}\n\n${end}${after}`;
  return format(written, { ...(await resolveConfig(file)), parser: 'markdown' });
}
