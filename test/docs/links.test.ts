import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Document, documents, prose } from '../helpers/documents.ts';
import { project } from '../helpers/synthesize.ts';

const pages = documents();

/** Of each heading, as GitHub makes them: lower case, without punctuation, with hyphens for spaces; -1 for a second one. */
function anchorsOf(page: Document): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose(page).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

it.each(pages)('every link in $file leads to a file and a heading that are there', (page) => {
  const wrong = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [name = '', anchor] = target.split('#');
    const file = path.join(path.dirname(page.file), name || path.basename(page.file));
    if (!existsSync(path.join(project, file))) return [`${target}: there is no ${file}`];
    if (anchor === undefined || !file.endsWith('.md')) return [];
    const text = readFileSync(path.join(project, file), 'utf8');
    return anchorsOf({ file, text }).has(anchor) ? [] : [`${target}: ${file} has no such heading`];
  });
  expect(wrong).toEqual([]);
});

it('the index of the documentation names every page', () => {
  const index = readFileSync(path.join(project, 'docs/README.md'), 'utf8');
  const missing = pages
    .filter(({ file }) => /^docs\/(reference\/)?[\w-]+\.md$/.test(file) && file !== 'docs/README.md')
    .filter(({ file }) => !index.includes(`](${path.relative('docs', file)})`));
  expect(missing.map(({ file }) => file)).toEqual([]);
});

it('every page and heading that a message, a comment or an experiment names is there', () => {
  const sources = ['bin', 'lib', 'runner', 'scripts', 'experiments'].flatMap((folder) =>
    readdirSync(path.join(project, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs|yaml)$/.test(name))
      .map((name) => path.join(folder, name)),
  );
  const mention = /(?<![\w/.-])(docs\/(?:[\w-]+\/)?[\w-]+\.md)\b(?:, [“"]([^”"]+)[”"])?/g;
  const wrong = sources.flatMap((source) =>
    [...readFileSync(path.join(project, source), 'utf8').matchAll(mention)].flatMap(
      ([mentioned, file = '', heading]) => {
        if (!existsSync(path.join(project, file))) return [`${source}: ${mentioned}`];
        const text = readFileSync(path.join(project, file), 'utf8');
        return heading === undefined || text.includes(`# ${heading}\n`) ? [] : [`${source}: ${mentioned}`];
      },
    ),
  );
  expect(wrong).toEqual([]);
});
