import { openWhereLinksLead } from './folding.ts';
import { equipTables } from './tables.ts';
import { equipTimelines } from './timeline.ts';

/**
 * What report.html can do beyond being read. Everything is there without it, so that each part may do nothing where a
 * browser is too old for it. `npm run generate` puts it into page-script.ts.
 */
openWhereLinksLead();
equipTables();
equipTimelines();
