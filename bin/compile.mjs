import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildOptions } from './build-options.mjs';

/**
 * Compiles the TypeScript sources to JavaScript and keeps it in the project's own folder. Anybody who may write there
 * may change the sources, too. In the shared temporary folder, other users could get their code into our processes.
 */
const project = path.resolve(import.meta.dirname, '..');

// Under umask 000, other users could change what runs next, and put symbolic links among the results that we write.
process.umask(process.umask() | 0o002);

/** Inputs besides the sources: these files decide which packages are installed, and how the JavaScript is made. */
const further = [
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'bin/compile.mjs',
  'bin/build-options.mjs',
];

/** Packages that are not bundled. They have so many files that bundling them takes longer than loading them. */
const large = ['@aws-sdk/*', 'echarts/*'];

/** How many days to keep old JavaScript. A run of several days loads parts of its own program only at its end. */
const keptDays = 7;

/**
 * Compiles a source if sources or packages have changed since the last time. If the project's folder is not writable,
 * compiles for this process alone.
 *
 * @param {string} entry path of a source, relative to the project
 * @param {'taken in' | 'left'} packages bundled, which starts faster, or loaded from where they are
 * @returns {Promise<string>} URL of the JavaScript, to import
 */
export async function compile(entry, packages) {
  const folder = path.join(project, 'dist', 'compiled', entry.replace(/\.ts$/, ''));
  const current = readCurrent(folder);
  if (current !== null) return urlOf(current, entry);
  // Packages that are not bundled are found only from the project's folder.
  const made = packages === 'left' ? makeFolder(folder) : makeFolderOrNull(folder);
  if (made === null) return urlOf(await compileForThisProcess(entry), entry);
  const inputs = await write(entry, made, packages === 'left' ? { packages: 'external' } : { external: large });
  writeFileSync(path.join(made, 'current.json'), JSON.stringify({ made: path.basename(made), inputs }));
  renameSync(path.join(made, 'current.json'), path.join(folder, 'current.json'));
  removeOld(folder);
  return urlOf(made, entry);
}

/**
 * @param {string} entry
 * @returns {Promise<string>} a folder that no other user could have made; it is removed when this process ends
 */
async function compileForThisProcess(entry) {
  /** @type {string | undefined} */
  let made;
  const remove = () => {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  };
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, function end() {
      // Once the program itself runs, it handles the signal and ends in good order.
      if (process.listenerCount(signal) > 1) return;
      remove();
      process.off(signal, end);
      process.kill(process.pid, signal);
    });
  }
  const { claimFolder, temporaryFolder } = await ownedFolders();
  // Users who may rename files there could make us run their code.
  const parent = requireOrEnd(temporaryFolder);
  // Not earlier: a signal in between would leave the folder.
  made = mkdtempSync(path.join(parent, 'pgduet-program-'));
  claimFolder(made);
  await write(entry, made, { external: [] });
  return made;
}

/**
 * @template T
 * @param {() => T} demand throws if the user has to change something
 * @returns {T}
 */
function requireOrEnd(demand) {
  try {
    return demand();
  } catch (error) {
    console.error(`pgduet: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(2);
  }
}

/**
 * @returns {Promise<{ claimFolder: (folder: string) => unknown, temporaryFolder: () => string }>} the runner's own
 * functions, compiled in memory: `claimFolder` records whose a folder is, so that `pgduet clean` recognises one that
 * was left, and `temporaryFolder` returns a place where such a folder is safe
 */
async function ownedFolders() {
  const { build } = await import('esbuild');
  const entryPoints = ['runner/process/owned-folder.ts'];
  const { outputFiles } = await build({ ...buildOptions, banner: {}, entryPoints, write: false });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
}

/** @param {string} folder */
function makeFolder(folder) {
  mkdirSync(folder, { recursive: true });
  const made = mkdtempSync(path.join(folder, 'made-'));
  // Any user may run what this one has made.
  chmodSync(made, 0o755);
  return made;
}

/** @param {string} folder @returns the new folder; null if this user may not write there */
function makeFolderOrNull(folder) {
  try {
    return makeFolder(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(EACCES|EPERM|EROFS)$/.test(String(error.code))) return null;
    throw error;
  }
}

/** @param {string} folder @param {string} entry */
function urlOf(folder, entry) {
  return pathToFileURL(path.join(folder, `${path.basename(entry, '.ts')}.mjs`)).href;
}

/**
 * The folder with the latest JavaScript; null if there is none, or if an input has changed since.
 *
 * @param {string} folder
 */
function readCurrent(folder) {
  try {
    /** @type {{ made: string, inputs: Record<string, string> }} */
    const { made, inputs } = JSON.parse(readFileSync(path.join(folder, 'current.json'), 'utf8'));
    const asThen = Object.entries(inputs).every(([input, state]) => stateOf(input) === state);
    return asThen && further.every((input) => input in inputs) ? path.join(folder, made) : null;
  } catch {
    return null;
  }
}

/** @param {string} input path relative to the project */
function stateOf(input) {
  const stat = statSync(path.join(project, input), { throwIfNoEntry: false });
  return stat === undefined ? 'missing' : `${stat.size} ${stat.mtimeMs}`;
}

/**
 * @param {string} entry
 * @param {string} outdir
 * @param {{ packages?: 'external', external?: string[] }} left which packages are not bundled
 * @returns {Promise<Record<string, string>>} the state of every source that went in, by path
 */
async function write(entry, outdir, { packages, external = [] }) {
  const inputs = Object.fromEntries(further.map((file) => [file, stateOf(file)]));
  const { build } = await import('esbuild');
  await build({
    ...buildOptions,
    entryPoints: [entry],
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    sourcemap: true,
    sourcesContent: false,
    external: [...buildOptions.external, ...external],
    ...(packages && { packages }),
    plugins: [readSources(inputs)],
  });
  return inputs;
}

/**
 * Notes the state of each source when it is read. Sources look for files beside themselves, so the compiled code keeps
 * the path of each source.
 *
 * @param {Record<string, string>} inputs receives the state of each source, by path
 * @returns {import('esbuild').Plugin}
 */
function readSources(inputs) {
  return {
    name: 'read-sources',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|mjs)$/ }, ({ path: file }) => {
        if (file.includes(`${path.sep}node_modules${path.sep}`)) return undefined;
        const input = path.relative(project, file);
        inputs[input] = stateOf(input);
        const contents = readFileSync(file, 'utf8')
          .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
        return { contents, loader: file.endsWith('.ts') ? 'ts' : 'js' };
      });
    },
  };
}

/** @param {string} folder */
function removeOld(folder) {
  const oldest = Date.now() - keptDays * 86_400_000;
  for (const name of readdirSync(folder)) {
    const made = path.join(folder, name);
    const stat = statSync(made, { throwIfNoEntry: false });
    if (name.startsWith('made-') && stat && stat.mtimeMs < oldest) rmSync(made, { recursive: true, force: true });
  }
}
