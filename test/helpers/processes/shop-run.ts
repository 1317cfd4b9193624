import { type TinyRun, tinyRun } from './tiny-run.ts';

export const shopWorkload = {
  tool: 'own-data',
  load: { sql: ['schema.sql'] },
  scripts: [{ file: 'look.sql' }],
  clients: 1,
  threads: 1,
  durationSeconds: 1,
};

/** What variants may be prepared by: an index, and the beginning of a migration. */
const prepared = {
  'index.sql': 'CREATE INDEX CONCURRENTLY purchase_customer ON purchase (customer);\n',
  'migrations/1.sql': 'ALTER TABLE purchase ADD note text;\n',
};

/** A run of an experiment with tables of its own. @param files by their names: `schema.sql`, `look.sql`, and what else it needs */
export function shopRunOf(experiment: object, files: Readonly<Record<string, string>>): TinyRun {
  const tiny = tinyRun();
  for (const [name, text] of Object.entries({ ...prepared, ...files })) tiny.put(name, text);
  tiny.define({ name: 'tiny', question: 'Does it run?', workload: shopWorkload, ...experiment });
  return tiny;
}
