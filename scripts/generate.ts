import { writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { experimentFileJsonSchema } from '../runner/experiment/file/file-schema.ts';
import { withDefinitions } from './with-definitions.ts';
import { scriptModules } from './page-script.ts';
import { pageText } from './reference/page.ts';
import { referencePages } from './reference/pages.ts';

/**
 * `npm run generate`: writes the files that are made from the sources. They are in git, so that editors and readers
 * have them.
 */
const schema = new URL('../experiments/experiment.schema.json', import.meta.url);
writeFileSync(
  schema,
  await format(JSON.stringify(withDefinitions(experimentFileJsonSchema())), { parser: 'json', printWidth: 120 }),
);

for (const page of referencePages) {
  writeFileSync(new URL(`../${page().file}`, import.meta.url), await pageText(page()));
}

for (const [file, text] of Object.entries(scriptModules)) {
  writeFileSync(new URL(`../${file}`, import.meta.url), await text());
}
