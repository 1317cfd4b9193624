import path from 'node:path';
import { build, type Metafile } from 'esbuild';
import { buildOptions, compiled, project } from '../../lib/build-options.ts';
import { materialsPlugin, writeLicenceNotices } from '../../lib/licence-notices.ts';
import { bundleRunner } from '../../lib/runner-bundle.ts';

/** What programs of others may import, by their names in the package. */
export const modules = { index: 'lib/index.ts', results: 'runner/results.ts' };

const entryPoints = { pgduet: 'bin/pgduet.ts', app: 'bin/app.ts', ...modules };

/**
 * Not bundled: packages with so many files that only those that a command needs should be loaded; the CDK, of which an
 * app must have only one; and what makes the driver's program, which the package brings ready-made.
 */
const external = ['@aws-sdk/*', 'echarts/*', 'aws-cdk-lib', 'constructs', './runner-bundle.ts'];

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
    sourcemap: true,
    sourcesContent: false,
    external: [...buildOptions.external, ...external],
    metafile: true,
    plugins: materials === undefined ? [] : [materialsPlugin(materials)],
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
