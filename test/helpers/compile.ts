import { compile } from '../../scripts/build/compile.ts';

/**
 * Before all tests: those that start the command line do so a hundred times, and compiled code starts sooner. Who runs several
 * suites at a time has compiled it before, and says so.
 */
export default async function setup(): Promise<void> {
  if (process.env['PGDUET_IS_COMPILED'] !== '1') await compile();
}
