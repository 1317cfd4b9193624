import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { templateVerb } from '../../bin/template-command.ts';
import { commandLine } from '../../runner/cli/main.ts';
import { ownCommand } from '../../runner/contract/own-command.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';
import { project } from '../helpers/synthesize.ts';

/** What stands in a message for a value that is known only when it is printed. */
const anyValue = 'VALUE';
const known: Record<string, string> = { ownCommand, seed: '1' };

/** The texts of a source, as far as they are known: each `${...}` of a template is `VALUE`, but for what is known. */
function textsIn(file: string): string[] {
  const found: string[] = [];
  const valueOf = (expression: ts.Expression): string =>
    (ts.isIdentifier(expression) ? known[expression.text] : undefined) ?? anyValue;
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.map(({ expression, literal }) => valueOf(expression) + literal.text);
      found.push(node.head.text + spans.join(''));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(path.join(project, file), 'utf8'), ts.ScriptTarget.Latest));
  return found;
}

/** The command lines that a text recommends: after `npx`, in backquotes, or in a line of their own. */
function commandsIn(text: string): string[][] {
  const commands = [
    ...text.matchAll(/(?:npx (?:--no-install )?|`|^ +|\bfish +|\bor )pgduet ([a-z](?:[^`;()\n|.,:]|[.,:](?!\s|$))*)/gm),
  ];
  return commands.map(
    ([, words = '']) =>
      words
        .split(/ {2}| (?:or|and|when|to|writes|draws) /)[0]
        ?.trim()
        .split(/\s+/) ?? [],
  );
}

const sources = ['runner', 'lib'].flatMap((folder) =>
  readdirSync(path.join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file)),
);
const advice = sources.flatMap((file) =>
  textsIn(file).flatMap((text) => commandsIn(text).map((words) => ({ file, words, line: words.join(' ') }))),
);

describe('a command that a message recommends', () => {
  it.each(advice)('is one that there is: $line ($file)', async ({ words }) => {
    const { io, printed } = fakeIo();
    const { program, load } = commandLine(io, [templateVerb]);
    (await load(words[0]))?.action(() => undefined);
    await program.parseAsync(words, { from: 'user' });
    expect(printed()).toMatchObject({ stderr: '', exitCode: 0 });
  });

  // Experiments that cannot be deployed can run nowhere else; a repeat says so only where the servers were not there before.
  const elsewhere = ['/deployable.ts', '/sections/repeat.ts'];
  const isOpen = ({ file }: { file: string }): boolean => !elsewhere.some((end) => file.endsWith(end));

  it.each(advice.filter((one) => /run$/.test(one.words[0] ?? '') && isOpen(one)))(
    'says where it measures: $line ($file)',
    ({ words }) => expect(words).toContain('--local'),
  );

  it('is found in messages', () => {
    expect(advice.map(({ line }) => line)).toEqual(
      expect.arrayContaining(['load-run NAME --local', 'init NAME', 'clean']),
    );
  });
});
