import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { buildOptions, compiled, project } from '../../lib/build-options.ts';
import { materialsPlugin, writeLicenceNotices } from '../../lib/licence-notices.ts';
import { bundleRunner } from '../../lib/runner-bundle.ts';

/** What programs of others may import, by their names in the package. */
export const modules = { index: 'lib/index.ts', results: 'runner/results.ts' };

const entryPoints = { pgduet: 'bin/pgduet.ts', app: 'bin/app.ts', ...modules };

/**
 * Not bundled: the CDK, of which an app must have only one and a local run needs none; and what makes the driver's program,
 * which the package brings ready-made.
 */
const external = ['aws-cdk-lib', 'constructs', './runner-bundle.ts'];

/** What most commands load: experiments, their rules, and plans of them. */
const core = ['runner/experiment/file/load.ts', 'runner/experiment/plan/plan.ts'];

/**
 * Loads the core with everything that is loaded when it is needed. Such modules need different parts of the core, and
 * without this, esbuild would split it by who needs what into seventy small files: reading those takes longer than
 * running them.
 */
function withCore(folder: string): Plugin {
  const suffix = '?with-core';
  return {
    name: 'with-core',
    setup(ours) {
      ours.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path: imported, resolveDir }) => {
        if (kind !== 'dynamic-import' || external.includes(imported)) return undefined;
        return { path: path.resolve(resolveDir, imported), suffix };
      });
      ours.onLoad({ filter: /\.ts$/ }, ({ path: file, suffix: found }) => {
        if (found !== suffix) return undefined;
        const imports = core.map((one) => `import ${JSON.stringify(path.join(folder, one))};`);
        return { contents: [...imports, `export * from ${JSON.stringify(file)};`].join('\n'), resolveDir: folder };
      });
      // The bill of materials lists files, and these are none.
      ours.onEnd(({ metafile }) => {
        for (const output of Object.values(metafile?.outputs ?? {})) {
          output.inputs = Object.fromEntries(
            Object.entries(output.inputs).filter(([input]) => !input.endsWith(suffix)),
          );
        }
      });
    },
  };
}

/**
 * Compiles the sources of a folder to its dist/compiled, with source maps. Files of an earlier build stay, since a
 * program that runs may still load them.
 *
 * @param materials file for a bill of materials of the packages that are bundled, if one is wanted
 */
export async function compile(folder: string = project, materials?: string): Promise<Metafile> {
  const { metafile } = await build({
    ...buildOptions,
    absWorkingDir: folder,
    entryPoints,
    outdir: compiled,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    // Modules, where a package has them: of the clients of AWS, only the calls that we make are kept.
    mainFields: ['module', 'main'],
    sourcemap: true,
    sourcesContent: false,
    external: [...buildOptions.external, ...external],
    metafile: true,
    plugins: [withCore(folder), ...(materials === undefined ? [] : [materialsPlugin(materials)])],
  });
  return metafile;
}

/** The same for a package: with the licences of the packages in it, and the program for the driver. */
export async function compileAll(): Promise<void> {
  const folder = path.join(project, compiled);
  const materials = `${folder}.cdx.json`;
  writeLicenceNotices(folder, materials, await compile(project, materials), project);
  await bundleRunner(project, path.join(folder, 'runner'));
}
