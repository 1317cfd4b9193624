import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type BillOfMaterials, licenceOf, nameOf } from '../../lib/licence-notices.ts';
import { bundledRunner } from '../helpers/processes/bundled-runner.ts';

/** They let anybody pass copies on, if the text goes along. */
const accepted = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT'];

let folder: string;
let materials: BillOfMaterials;
beforeAll(() => {
  folder = bundledRunner();
  materials = JSON.parse(readFileSync(`${folder}.cdx.json`, 'utf8')) as BillOfMaterials;
});

it('every bundled package has a licence that we accept, and its text', () => {
  const notices = readFileSync(path.join(folder, 'THIRD-PARTY-LICENSES'), 'utf8');
  const parts = notices.split(`\n\n${'-'.repeat(80)}\n\n`).slice(1);
  for (const component of materials.components) {
    const name = nameOf(component);
    expect(accepted, name).toContain(licenceOf(component));
    const part = parts.find((text) => text.startsWith(`${name} (`) || text.includes(`\n${name} (`)) ?? '';
    expect(part, name).toMatch(/Permission is hereby granted|Permission to use|Redistribution and use|Apache License/i);
  }
});

it('the bill of materials lists every package that was bundled', () => {
  // What the program itself says, without the tool that made the list: which files its text came from.
  const program = readFileSync(path.join(folder, 'pgduet.mjs'), 'utf8');
  const bundled = [...program.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(
    ([, name]) => name,
  );
  expect(new Set(bundled).size).toBeGreaterThan(50);
  const listed = materials.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`));
  expect([...new Set(bundled)].filter((name) => !listed.includes(name ?? ''))).toEqual([]);
});
