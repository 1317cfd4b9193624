import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { project } from '../../lib/build-options.ts';
import { runProgram } from './run-program.ts';

/** What users write against the types of the package. */
const program = `import { Experiment, type ExperimentProps, ExperimentStack } from 'pgduet';
import { readReport, readResult, type Report, type Result } from 'pgduet/results';
export const props: ExperimentProps = { experiment: 'quick', expiry: { kind: 'after', hours: 24 } };
export const complete = async (folder: string): Promise<Result['complete']> => (await readResult(folder)).complete;
export const verdict = async (folder: string): Promise<Report['verdict']> => (await readReport(folder)).verdict;
// @ts-expect-error: a name is a text
export const wrong: ExperimentProps = { experiment: 1 };
export { Experiment, ExperimentStack };
`;

/** The types of the package are those of its modules, and name no package that users do not have. */
export function checkTypes(repository: string): void {
  writeFileSync(path.join(repository, 'types.mts'), program);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', 'types.mts'];
  runProgram(process.execPath, [path.join(project, 'node_modules/typescript/bin/tsc'), ...options], {
    cwd: repository,
  });

  const types = path.join(repository, 'node_modules/pgduet/dist/compiled/types');
  const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  const named = files.flatMap((name) =>
    [...readFileSync(path.join(types, name), 'utf8').matchAll(/(?:from |import\()['"]([^.'"][^'"]*)['"]/g)].map(
      ([, imported = '']) => imported,
    ),
  );
  const others = named.filter((name) => !isBuiltin(name) && !/^(aws-cdk-lib|constructs|zod|pgduet)(\/|$)/.test(name));
  if (others.length > 0)
    throw new Error(`Types name packages that users do not have: ${[...new Set(others)].join(', ')}`);
}
