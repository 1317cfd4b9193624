import { compile } from '../../scripts/build/compile.ts';

/** Before all tests: those that start the command line do so a hundred times, and compiled code starts sooner. */
export default async function setup(): Promise<void> {
  await compile();
}
