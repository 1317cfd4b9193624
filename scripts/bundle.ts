import path from 'node:path';
import { bundleRunner } from '../lib/runner-bundle.ts';

/** Makes dist/runner, the program for the driver, and its bill of materials. A deploy does the same by itself. */
const folder = await bundleRunner(path.resolve(import.meta.dirname, '..'));
for (const made of [folder, `${folder}.cdx.json`]) process.stdout.write(`${path.relative(process.cwd(), made)}\n`);
