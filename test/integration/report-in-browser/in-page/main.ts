import { pictureContrasts } from './contrast.ts';
import { layoutFindings } from './layout.ts';
import { shownTables } from './tables.ts';

/** What a test asks of an opened report. It is bundled into one script, which the test evaluates in the page. */
Object.assign(globalThis, { layoutFindings, pictureContrasts, shownTables });
