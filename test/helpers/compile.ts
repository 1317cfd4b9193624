import { compile } from '../../scripts/build/compile.ts';

/**
 * Before all tests: those that start the command line do so a hundred times, and compiled code starts sooner. CI, which runs
 * several suites at a time, compiles once, and says so.
 */
export default async function setup(): Promise<void> {
  if (process.env['PGDUET_IS_COMPILED'] !== '1') await compile();
}
