import path from 'node:path';
import type { BuildOptions } from 'esbuild';

/** Folder of the sources. */
export const project = path.resolve(import.meta.dirname, '..');

/** Where the JavaScript of the package is, in the project's folder. */
export const compiled = 'dist/compiled';

/** Names that CommonJS packages use but an ES module does not have. */
const commonJsNames = `
import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;
`.trim();

/** How the sources are compiled to JavaScript, both for the package and for the driver. */
export const buildOptions = {
  absWorkingDir: project,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
  // The licences are in a separate file (licence-notices.ts).
  legalComments: 'none',
  // pg works without pg-native. The others read files beside themselves, and only people at a terminal need them.
  external: ['pg-native', '@pnpm/tabtab', 'libpg-query', 'open'],
  banner: { js: commonJsNames },
} satisfies BuildOptions;
