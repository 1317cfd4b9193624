import { writeFileSync } from 'node:fs';
import { experimentFileJsonSchema } from '../runner/experiment/file/file-schema.ts';

/** Writes the JSON Schema of experiment files, which editors check and complete them by. */
writeFileSync(
  new URL('../experiments/experiment.schema.json', import.meta.url),
  `${JSON.stringify(experimentFileJsonSchema(), null, 2)}\n`,
);
