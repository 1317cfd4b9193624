import path from 'node:path';
import { bundleRunner } from '../lib/runner-bundle.ts';

/**
 * Makes the program for the driver, and its bill of materials: dist/runner, or the folder that is named. A deploy does the same
 * by itself.
 */
const project = path.resolve(import.meta.dirname, '..');
const folder = await bundleRunner(project, path.resolve(process.argv[2] ?? path.join(project, 'dist/runner')));
for (const made of [folder, `${folder}.cdx.json`]) process.stdout.write(`${path.relative(process.cwd(), made)}\n`);
