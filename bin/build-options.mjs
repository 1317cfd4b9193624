import path from 'node:path';

/** What packages that are CommonJS refer to, and a module does not have. */
const commonJsNames = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;
`.trim();

/**
 * How JavaScript is made of the runner's sources: for the command line here, and for the driver.
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
  legalComments: 'none',
  // Only if somebody installed it; pg works without.
  external: ['pg-native'],
  banner: { js: commonJsNames },
};
