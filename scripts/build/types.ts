import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { project } from '../../lib/build-options.ts';

const relativeImport = /((?:from |import\()['"])(\.{1,2}\/[^'"]+)\.ts(['"])/g;

/**
 * Writes the types of modules, and of all that their types refer to, with the comments of the sources.
 *
 * @param entries paths of sources, relative to the project
 * @param output folder in which the types have the paths of their sources
 */
export function writeTypes(entries: readonly string[], output: string): void {
  const roots = entries.map((entry) => path.join(project, entry));
  const { config } = ts.readConfigFile(path.join(project, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: roots }, ts.sys, project);
  const program = ts.createProgram(roots, { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true });
  const waiting = new Set(roots);
  for (const source of waiting) {
    program.emit(
      program.getSourceFile(source),
      (_, text) => {
        const written = path.join(output, path.relative(project, source).replace(/\.ts$/, '.d.ts'));
        mkdirSync(path.dirname(written), { recursive: true });
        writeFileSync(written, text.replace(relativeImport, '$1$2.js$3'));
        for (const [, , imported = ''] of text.matchAll(relativeImport)) {
          waiting.add(`${path.resolve(path.dirname(source), imported)}.ts`);
        }
      },
      undefined,
      true,
    );
  }
}
