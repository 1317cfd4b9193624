import path from 'node:path';
import { bundleRunner } from '../lib/runner-bundle.ts';

/** Makes dist/runner, the program for the driver, and its bill of materials. A deploy does the same by itself. */
const project = path.resolve(import.meta.dirname, '..');
const folder = await bundleRunner(project, path.join(project, 'dist/runner'));
for (const made of [folder, `${folder}.cdx.json`]) process.stdout.write(`${path.relative(process.cwd(), made)}\n`);
