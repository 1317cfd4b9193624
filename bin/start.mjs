import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const project = path.resolve(import.meta.dirname, '..');

/**
 * Runs a program of pgduet. In a checkout, its source is there: an edit takes effect at the next start. A package has
 * only what was compiled from it.
 *
 * @param {string} source path of the program's source, relative to the project
 * @param {string} [compiled] path of its JavaScript, for a program that a package has
 * @returns {Promise<unknown>} when the program is loaded
 */
export async function start(source, compiled) {
  const file = path.join(project, source);
  if (compiled !== undefined && !existsSync(file)) {
    const program = path.join(project, compiled);
    if (existsSync(program)) return import(pathToFileURL(program).href);
    process.stderr.write(
      `${program} is missing: this package was made without it. Make it anew, in a clone of pgduet:\nnpm ci && npm run build && npm pack\n`,
    );
    return process.exit(2);
  }
  const { features } = process;
  if (!('typescript' in features && features.typescript)) await readTypeScript();
  return import(pathToFileURL(file).href);
}

/** Node.js before 22.18 does not read TypeScript by itself. */
async function readTypeScript() {
  // The cache would be in the shared temporary folder. Whoever makes that folder first would have their code run by us.
  process.env['TSX_DISABLE_CACHE'] = '1';
  const { register } = await import('tsx/esm/api');
  register({ tsconfig: path.join(project, 'tsconfig.json') });
  delete process.env['TSX_DISABLE_CACHE'];
}
