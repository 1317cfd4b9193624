import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../helpers/synthesize.ts';
import { unprovenPermissions } from '../rehearsal/scenarios/unproven-permissions.ts';

it('the documentation shows which permissions the rehearsal cannot prove', () => {
  const text = readFileSync(path.join(project, 'docs/rehearsal.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+:\w+)`\s*\| (.*?)\s*\|$/gm)].map(([, action, why]) => [
    action,
    `${why ?? ''}.`,
  ]);
  expect(Object.fromEntries(rows)).toEqual(unprovenPermissions);
});
