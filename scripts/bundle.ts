import path from 'node:path';
import { buildSync } from 'esbuild';

/** Makes dist/runner/pgduet.mjs: one program that needs nothing but Node. */
const project = path.resolve(import.meta.dirname, '..');
buildSync({
  absWorkingDir: project,
  entryPoints: ['runner/cli/process.ts'],
  outfile: path.join(project, 'dist', 'runner', 'pgduet.mjs'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
  legalComments: 'none',
  // Only if somebody installed it; pg works without.
  external: ['pg-native'],
  // Dependencies that are CommonJS call require, which a module does not have.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
});
