import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { entry, type ReferencePage, sentence } from './page.ts';

const source = new URL('../../lib/experiment.ts', import.meta.url);

export function constructPage(): ReferencePage {
  return {
    file: 'docs/reference/construct.md',
    title: 'Reference: the construct',
    source: 'lib/experiment.ts',
    introduction: 'The properties of `Experiment`, for [your own CDK app](../own-repository.md#in-your-own-cdk-app).',
    body: ['ExperimentOptions', 'ExperimentProps']
      .flatMap(propertiesOf)
      .map(({ name, type, description, byDefault }) =>
        entry(
          name,
          [`\`${type}\``, byDefault === 'required' ? '**required**' : `default: ${byDefault}`],
          [sentence(description)],
        ),
      )
      .join('\n'),
  };
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
      type: inOneLine(property.type?.getText(file)),
      description: inOneLine(ts.getTextOfJSDocComment(comment?.comment)),
      byDefault: byDefault ? inOneLine(ts.getTextOfJSDocComment(byDefault.comment)).replace(/^- /, '') : 'required',
    };
  });
}

function inOneLine(text = ''): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
