import { rmSync } from 'node:fs';
import path from 'node:path';
import { compiled, project } from '../lib/build-options.ts';
import { compileAll, modules } from './build/compile.ts';
import { writeTypes } from './build/types.ts';

/** `npm run build`: all that a package needs and that is not among the sources. It comes before `npm pack`. */
rmSync(path.join(project, compiled), { recursive: true, force: true });
await compileAll();
writeTypes(Object.values(modules), path.join(project, compiled, 'types'));
