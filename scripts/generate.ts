import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { experimentFileJsonSchema } from '../runner/experiment/file/file-schema.ts';
import { replaceConstructTable } from './construct-table.ts';
import { experimentReference } from './experiment-reference.ts';
import { withDefinitions } from './with-definitions.ts';
import { replaceMetricsTable } from './metrics-table.ts';
import { replaceOptionsTable } from './options-table.ts';
import { scriptModules } from './page-script.ts';

/**
 * `npm run generate`: writes the files that are made from the sources. They are in git, so that editors and readers
 * have them.
 */
const schema = new URL('../experiments/experiment.schema.json', import.meta.url);
writeFileSync(
  schema,
  await format(JSON.stringify(withDefinitions(experimentFileJsonSchema())), { parser: 'json', printWidth: 120 }),
);

const results = new URL('../docs/results.md', import.meta.url);
writeFileSync(results, await replaceMetricsTable(readFileSync(results, 'utf8')));

const workloads = new URL('../docs/workloads.md', import.meta.url);
writeFileSync(workloads, await replaceOptionsTable(readFileSync(workloads, 'utf8')));

writeFileSync(new URL('../docs/experiment-reference.md', import.meta.url), await experimentReference());

const ownRepository = new URL('../docs/own-repository.md', import.meta.url);
writeFileSync(ownRepository, await replaceConstructTable(readFileSync(ownRepository, 'utf8')));

for (const [file, text] of Object.entries(scriptModules)) {
  writeFileSync(new URL(`../${file}`, import.meta.url), await text());
}
