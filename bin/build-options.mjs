import path from 'node:path';

/** Names that CommonJS packages use but an ES module does not have. */
const commonJsNames = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;
`.trim();

/**
 * How to compile the runner's sources to JavaScript, both for the command line here and for the driver.
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
  // The driver's bundle has the licences in a separate file (lib/licence-notices.ts).
  legalComments: 'none',
  // Optional: pg works without it.
  external: ['pg-native'],
  banner: { js: commonJsNames },
};
