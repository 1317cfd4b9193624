import { checksPage } from './checks.ts';
import { constructPage } from './construct.ts';
import { experimentPage } from './experiment.ts';
import { failuresPage } from './failures.ts';
import { metricsPage } from './metrics.ts';
import type { ReferencePage } from './page.ts';
import { pgbenchOptionsPage } from './pgbench-options.ts';
import { serverPropertiesPage } from './server-properties.ts';

/** The pages that `npm run generate` makes. */
export const referencePages: readonly (() => ReferencePage)[] = [
  experimentPage,
  metricsPage,
  checksPage,
  failuresPage,
  pgbenchOptionsPage,
  constructPage,
  serverPropertiesPage,
];
