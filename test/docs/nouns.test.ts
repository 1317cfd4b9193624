import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../helpers/synthesize.ts';

const runner = path.join(project, 'runner');
const [, section = ''] =
  /^## The nouns of the code\n([^]*?)^## /m.exec(readFileSync(path.join(project, 'docs/architecture.md'), 'utf8')) ??
  [];
const nouns = [...section.matchAll(/^\| ([\w ]+?) +\| `(\w+)` +\| `([^`]+)` +\| (.+?) +\|$/gm)].map(
  ([, noun = '', declared = '', file = '']) => ({ noun, declared, file }),
);
const sources = readdirSync(runner, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(path.join(runner, file), 'utf8') }));

it('the code has at most 30 nouns', () => {
  expect(nouns.length).toBeGreaterThan(20);
  expect(nouns.length).toBeLessThanOrEqual(30);
});

it.each(nouns)(
  '$noun is declared where docs/architecture.md says, and nothing else has its name',
  ({ declared, file }) => {
    const declaration = new RegExp(`^(?:export )?(?:interface|type|class) ${declared}\\b`, 'm');
    expect(sources.filter(({ text }) => declaration.test(text)).map((source) => source.file)).toEqual([file]);
  },
);
