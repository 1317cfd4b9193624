import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const document = fileURLToPath(new URL('../docs/statistics.md', import.meta.url));

/** Puts what a bench found between its two marks in docs/statistics.md. */
export async function replaceTables(bench: string, tables: string): Promise<void> {
  const [begin, end] = [`<!-- bench:${bench} -->`, `<!-- /bench:${bench} -->`];
  const text = await readFile(document, 'utf8');
  const [before] = text.split(begin);
  const [, after] = text.split(end);
  if (before === undefined || after === undefined) throw new Error(`docs/statistics.md has no place for ${bench}`);
  const written = `${before}${begin}\n\n${tables}\n\n${end}${after}`;
  await writeFile(document, await format(written, { ...(await resolveConfig(document)), parser: 'markdown' }));
}
