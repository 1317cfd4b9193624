import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const [begin, end] = ['<!-- construct: npm run generate -->', '<!-- /construct -->'];
const source = new URL('../lib/experiment.ts', import.meta.url);

/** Returns the document with a new table of the construct's properties, made from their types, between its two marks. */
export async function replaceConstructTable(document: string): Promise<string> {
  const [before] = document.split(begin);
  const [, after] = document.split(end);
  if (before === undefined || after === undefined) throw new Error(`there is no ${begin} with its ${end}`);
  const rows = propertiesOf('ExperimentProps').map(({ name, type, description, byDefault }) =>
    [`\`${name}\``, `\`${type.replaceAll('|', '\\|')}\``, description, byDefault].join(' | '),
  );
  const table = ['property | type | what it is | default', ':-- | :-- | :-- | :--', ...rows].map((row) => `| ${row} |`);
  const text = `${before}${begin}\n\n${table.join('\n')}\n\n${end}${after}`;
  return format(text, { ...(await resolveConfig('docs/own-repository.md')), parser: 'markdown' });
}

/** The properties of an interface, as its comments describe them. */
function propertiesOf(name: string): { name: string; type: string; description: string; byDefault: string }[] {
  const file = ts.createSourceFile('experiment.ts', readFileSync(source, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = file.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
  if (!found || !ts.isInterfaceDeclaration(found)) throw new Error(`lib/experiment.ts has no interface ${name}`);
  return found.members.filter(ts.isPropertySignature).map((property) => {
    const [comment] = ts.getJSDocCommentsAndTags(property).filter(ts.isJSDoc);
    const byDefault = ts.getJSDocTags(property).find(({ tagName }) => tagName.text === 'default');
    return {
      name: property.name.getText(file),
      type: property.type?.getText(file) ?? '',
      description: inOneLine(ts.getTextOfJSDocComment(comment?.comment)),
      byDefault: byDefault ? inOneLine(ts.getTextOfJSDocComment(byDefault.comment)).replace(/^- /, '') : 'required',
    };
  });
}

function inOneLine(text = ''): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
