import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openFolder } from '../runner/analysis/open-result.ts';
import { UserError } from '../runner/contract/errors.ts';
import { runChecked } from '../runner/process/run-command.ts';
import { saveDocumentedRuns } from './docs-queries/documented-runs.ts';
import { differenceBetween, expectedTables, type QueriedTable } from './docs-queries/expected-tables.ts';
import { type Snippet, snippetsIn } from './docs-queries/snippets.ts';
import { preparePython } from './python-environment.ts';

/**
 * Runs every query for DuckDB and pandas in docs/ on the files of runs, and compares the output with the report of the
 * same runs. DuckDB's package for Node cannot be locked for all platforms, so this uses Python's.
 */
const project = path.resolve(import.meta.dirname, '..');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = await mkdtemp(path.join(tmpdir(), 'check-docs-queries-'));
try {
  const environment = await preparePython(
    {
      folder: path.join(project, 'dist/docs-queries'),
      requirements: [path.join(import.meta.dirname, 'docs-queries/requirements.txt')],
      contents: 'DuckDB and pandas for the queries of the documentation',
    },
    say,
  );
  const snippets = await documentedSnippets();
  const problems: string[] = [];
  for (const run of await saveDocumentedRuns(folder)) {
    const found = await carryOut(environment, snippets, run.workingFolder);
    problems.push(...(await problemsOf(snippets, found, run.results)).map((problem) => `${problem} (${run.name})`));
  }
  for (const problem of problems) say(problem);
  say(problems.length > 0 ? 'Failed' : `${snippets.length} queries of docs/ show what the report shows`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
} finally {
  await rm(folder, { recursive: true });
}

async function documentedSnippets(): Promise<Snippet[]> {
  const names = (await readdir(path.join(project, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
  const files = names.sort().map(async (name) => {
    const file = path.join('docs', name);
    return snippetsIn(file, await readFile(path.join(project, file), 'utf8'));
  });
  return (await Promise.all(files)).flat();
}

type Outcome = QueriedTable | { error: string };

async function carryOut(
  environment: string,
  snippets: readonly Snippet[],
  workingFolder: string,
): Promise<readonly Outcome[]> {
  const code = JSON.stringify(snippets.map(({ language, code }) => ({ language, code })));
  const script = path.join(import.meta.dirname, 'docs-queries/execute.py');
  const { stdout } = await runChecked([path.join(environment, 'bin/python'), script, code], { cwd: workingFolder });
  return JSON.parse(stdout) as Outcome[];
}

async function problemsOf(snippets: readonly Snippet[], found: readonly Outcome[], results: string): Promise<string[]> {
  const left = new Map((await expectedTables(await openFolder(results))).map((table) => [keyOf(table), table]));
  const problems = snippets.flatMap(({ place }, index) => {
    const outcome = found[index] ?? { error: 'the query was not run' };
    if ('error' in outcome) return [`${place}: ${outcome.error}`];
    const expected = left.get(keyOf(outcome));
    if (!expected)
      return [`${place}: no expected table has the columns ${keyOf(outcome)}; add one to expected-tables.ts`];
    left.delete(keyOf(outcome));
    const difference = differenceBetween(outcome, expected);
    return difference === null ? [] : [`${place}: ${difference}`];
  });
  return [...problems, ...[...left.keys()].map((columns) => `docs/ has no query that shows ${columns}`)];
}

function keyOf({ columns }: QueriedTable): string {
  return columns.join(', ');
}
