import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { project } from '../helpers/synthesize.ts';

/** The packages and modules of Node that load with a source, each with the source that imports it, and our sources. */
function loadedWith(entry: string): { packages: Map<string, string>; sources: string[] } {
  const found = new Map<string, string>();
  const visited = new Set<string>();
  const follow = (file: string): void => {
    if (visited.has(file)) return;
    visited.add(file);
    for (const statement of ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest).statements) {
      const isImport = ts.isImportDeclaration(statement);
      if (!(isImport || ts.isExportDeclaration(statement)) || !statement.moduleSpecifier) continue;
      if (isImport ? onlyTypes(statement) : statement.isTypeOnly) continue;
      const { text } = statement.moduleSpecifier as ts.StringLiteral;
      if (text.startsWith('.')) follow(path.resolve(path.dirname(file), text));
      else if (!found.has(text)) found.set(text, path.relative(project, file));
    }
  };
  follow(path.join(project, entry));
  return { packages: found, sources: [...visited].map((file) => path.relative(project, file)) };
}

function onlyTypes({ importClause }: ts.ImportDeclaration): boolean {
  const bindings = importClause?.namedBindings;
  if (!importClause) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  return (
    !importClause.name && !!bindings && ts.isNamedImports(bindings) && bindings.elements.every((one) => one.isTypeOnly)
  );
}

// A definition of a tool, a place or a source loads what carries it out only when it is carried out.
it.each(['runner/experiment/file/load.ts', 'runner/metrics/catalogue.ts', 'runner/cli/main.ts'])(
  '%s loads without a client of AWS or PostgreSQL, and without what starts programs',
  (entry) => {
    const late = [...loadedWith(entry).packages].filter(([name]) =>
      /^@aws-sdk\/|^pg$|^(node:)?child_process$/.test(name),
    );
    expect(late).toEqual([]);
  },
);

it('a plan loads without a client of AWS or PostgreSQL, and without what compares results', () => {
  const { packages, sources } = loadedWith('runner/cli/actions/plan.ts');
  expect([...packages.keys()].filter((name) => /^@aws-sdk\/|^pg$/.test(name))).toEqual([]);
  expect(sources.filter((source) => source.startsWith('runner/analysis/'))).toEqual([]);
});

it('the help loads without what judges the form of files', () => {
  expect([...loadedWith('bin/pgduet.ts').packages.keys()]).not.toContain('zod');
});

it('zod is imported whole, since its part `z` would bring its messages in forty languages', () => {
  const byPart = loadedWith('runner/experiment/file/load.ts').sources.filter((source) =>
    /^import \{[^}]*\bz\b[^}]*\} from 'zod'/m.test(readFileSync(path.join(project, source), 'utf8')),
  );
  expect(byPart).toEqual([]);
});

it('the command line loads without the catalogue of parameters, and an experiment with it', () => {
  const catalogue = 'runner/postgres/versions/known.ts';
  expect(loadedWith('runner/cli/main.ts').sources).not.toContain(catalogue);
  expect(loadedWith('runner/experiment/file/load.ts').sources).toContain(catalogue);
});
