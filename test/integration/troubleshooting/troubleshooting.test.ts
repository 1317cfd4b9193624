import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { building } from './building.ts';
import { deploying } from './deploying.ts';
import { driver } from './driver.ts';
import { project } from './endings.ts';
import { local } from './local.ts';
import { results } from './results.ts';

const documentation = readFileSync(path.join(project, 'docs/troubleshooting.md'), 'utf8');
/** Messages with their exit codes. */
const documented = new Map(
  [...documentation.matchAll(/^- `(.+)` \(exit code (\d+)\)$/gm)].map(([, message = '', code]) => [
    message,
    Number(code),
  ]),
);
const provocations = { ...local, ...building, ...deploying, ...driver, ...results };

it('docs/troubleshooting.md has the errors that are provoked here, and no others', () => {
  expect([...documented.keys()].sort()).toEqual(Object.keys(provocations).sort());
  // An item of another form would not be tested.
  expect(documentation.match(/^- /gm)).toHaveLength(documented.size);
});

it.each(Object.entries(provocations))('%s', async (message, provoke) => {
  const { text, exitCode } = await provoke();
  expect(text).toMatch(asPattern(message));
  expect(exitCode).toBe(documented.get(message));
});

/** The message as printed: something stands for each placeholder, and the rest may follow where it is left out. */
function asPattern(message: string): RegExp {
  const parts = message.replace(/ …$/, '').split(/<[a-z ]+>/);
  return new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+?'), 's');
}
