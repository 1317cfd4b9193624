import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../helpers/synthesize.ts';

const [, section = ''] =
  /^## The nouns of the code\n([^]*?)^## /m.exec(readFileSync(path.join(project, 'docs/architecture.md'), 'utf8')) ??
  [];
const nouns = [...section.matchAll(/^\| ([\w ]+?) +\| `(\w+)` +\| `([^`]+)` +\| (.+?) +\|$/gm)].map(
  ([, noun = '', declared = '', file = '']) => ({ noun, declared, file }),
);
const sources = ['runner', 'lib', 'bin', 'scripts'].flatMap((folder) =>
  readdirSync(path.join(project, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(folder, file))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(path.join(project, file), 'utf8') })),
);
/** Constructs that CDK apps of users import under the name of what they deploy. */
const constructs: Readonly<Record<string, string>> = { Experiment: 'lib/experiment.ts' };

it('the code has at most 30 nouns', () => {
  expect(nouns.length).toBeGreaterThan(20);
  expect(nouns.length).toBeLessThanOrEqual(30);
});

it.each(nouns)(
  '$noun is declared where docs/architecture.md says, and nothing else has its name',
  ({ declared, file }) => {
    const declaration = new RegExp(`^(?:export )?(?:interface|type|class) ${declared}\\b`, 'm');
    expect(sources.filter(({ text }) => declaration.test(text)).map((source) => source.file)).toEqual([
      `runner/${file}`,
      ...[constructs[declared]].filter((one) => one !== undefined),
    ]);
  },
);
