import { existsSync, lstatSync, mkdirSync } from 'node:fs';
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
  const { TMPDIR } = process.env;
  const kept = keptFolder();
  if (kept === null) process.env['TSX_DISABLE_CACHE'] = '1';
  else process.env['TMPDIR'] = kept;
  const { register } = await import('tsx/esm/api');
  register({ tsconfig: path.join(project, 'tsconfig.json') });
  delete process.env['TSX_DISABLE_CACHE'];
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
}

/**
 * Where transpiled sources are kept: in this checkout, if nobody but its user can change what is there. By itself, tsx keeps
 * them in the shared temporary folder, where whoever makes its folder first would have their code run by us.
 *
 * @returns {string | null} null if they are transpiled at each start
 */
function keptFolder() {
  const around = path.join(project, 'node_modules');
  const folder = path.join(around, '.pgduet');
  try {
    if (!isOwn(around)) return null;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isOwn(folder) ? folder : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} folder
 * @returns {boolean} whether it belongs to this user, and nobody else may write to it
 */
function isOwn(folder) {
  const { uid, mode } = lstatSync(folder);
  return uid === process.getuid?.() && (mode & 0o170022) === 0o040000;
}
