import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

const project = path.resolve(import.meta.dirname, '../..');

export interface Document {
  /** Relative to the project. */
  file: string;
  text: string;
}

/** Every page that a reader may open: those of the project's folder, of docs/, and of its folders. */
export function documents(): Document[] {
  const below = (folder: string): string[] =>
    readdirSync(path.join(project, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.join(folder, name));
  const folders = ['.', 'docs', 'docs/reference', 'docs/decisions'];
  return [...folders.flatMap(below), 'test/rehearsal/emulator/README.md'].map((file) => ({
    file,
    text: readFileSync(path.join(project, file), 'utf8'),
  }));
}

export interface CodeBlock {
  /** What follows the opening fence, such as `yaml` or `text deploy`; empty if nothing does. */
  language: string;
  code: string;
  /** Such as `docs/costs.md:112`. */
  place: string;
}

export function codeBlocks({ file, text }: Document): CodeBlock[] {
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ({ index, 1: indent = '', 2: language = '', 3: code = '' }) => ({
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      place: `${file}:${text.slice(0, index).split('\n').length}`,
    }),
  );
}

/** The page without its blocks of code, which may hold anything. */
export function prose({ text }: Document): string {
  return text.replaceAll(/^( *)```.*\n[\s\S]*?^\1```$/gm, '');
}

/** Complete experiments that a page shows, by their names. */
export function completeExperiments(blocks: readonly CodeBlock[]): Map<string, CodeBlock> {
  return new Map(
    blocks
      .filter(({ language }) => language === 'yaml')
      .flatMap((block) => {
        const file: unknown = parse(block.code);
        const { success, data } = z
          .looseObject({ name: z.string(), variants: z.unknown(), workload: z.unknown() })
          .safeParse(file);
        return success && 'variants' in data ? [[data.name, block] as const] : [];
      }),
  );
}
