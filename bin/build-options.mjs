import path from 'node:path';

/** Names that CommonJS packages use and that an ES module does not have. */
const commonJsNames = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;
`.trim();

/**
 * How to make JavaScript from the runner's sources, both for the command line here and for the driver.
 *
 * @type {import('esbuild').BuildOptions & { external: string[] }}
 */
export const buildOptions = {
  absWorkingDir: path.resolve(import.meta.dirname, '..'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
  // What is passed on has the licences in a file of its own (lib/licence-notices.ts).
  legalComments: 'none',
  // Optional: pg works without it.
  external: ['pg-native'],
  banner: { js: commonJsNames },
};
