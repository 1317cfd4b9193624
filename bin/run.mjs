// node bin/run.mjs SOURCE.ts [ARGUMENT...]: runs a TypeScript source of this project as if it were JavaScript.
import path from 'node:path';
import { start } from './start.mjs';

const project = path.resolve(import.meta.dirname, '..');
const [source = ''] = process.argv.splice(2, 1);
await start(path.relative(project, path.resolve(source)));
