import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { project } from '../helpers/synthesize.ts';

interface LockedPackage {
  version?: string;
  integrity?: string;
  /** Whether it came in the archive of another package, whose hash stands for it. */
  inBundle?: true;
  hasInstallScript?: true;
}

const text = (file: string): string => readFileSync(path.join(project, file), 'utf8');
const { packages } = JSON.parse(text('package-lock.json')) as { packages: Record<string, LockedPackage> };
const installed = Object.entries(packages).filter(([folder]) => folder !== '');

/** Packages that would run code when they are installed, and why they need not. */
const known = {
  'node_modules/esbuild': 'checks that its program is there, which is in a package of its own for each system',
  'node_modules/unrs-resolver': 'the same',
};

it('no package but the known ones has an install script', () => {
  const withScript = installed.flatMap(([folder, { hasInstallScript }]) => (hasInstallScript ? [folder] : []));
  expect(withScript.sort()).toEqual(Object.keys(known));
  expect(text('.npmrc')).toMatch(/^ignore-scripts=true$/m);
});

it('every package is pinned by version and hash', () => {
  const { dependencies, devDependencies, overrides } = JSON.parse(text('package.json')) as Record<
    'dependencies' | 'devDependencies' | 'overrides',
    Record<string, string>
  >;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...overrides })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  }
  const loose = installed.filter(([, { integrity, inBundle }]) => !integrity?.startsWith('sha512-') && !inBundle);
  expect(loose.map(([folder]) => folder)).toEqual([]);
});
