import path from 'node:path';
import { bundleRunner } from '../lib/runner-bundle.ts';

/** Makes dist/runner, the program for the driver. A deploy does the same by itself. */
const folder = bundleRunner(path.resolve(import.meta.dirname, '..'));
process.stdout.write(`${path.relative(process.cwd(), folder)}\n`);
