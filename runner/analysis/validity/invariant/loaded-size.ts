import { fail, notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { quantity } from '../../../contract/format.ts';

/**
 * A tool predicts the size of what it loads to within a few hundredths; the rest allows for tables with another layout.
 */
const min = 0.5;
/** Twice the data, plus what every database has: beyond that, the trial mostly reads dead rows. */
const max = { times: 2, bytes: 100 * 2 ** 20 };

/** Whether the database has the size of what was loaded. A smaller one has lost data, or is another one. */
export const loadedSize: TrialCheck = {
  id: 'size-of-the-database',
  name: 'database size',
  remedy: 'Reload the data, then rerun.',
  judge: ({ measures }, { loadedBytes }) => {
    const { 'database.sizeAtStart': found = null } = measures;
    if (found === null) return notAssessed('the size was not read');
    if (loadedBytes === null) {
      return notAssessed(`${quantity(found, 'bytes')} at the start; the expected size of your own data is unknown`);
    }
    const words = `${quantity(found, 'bytes')} at the start, ${quantity(loadedBytes, 'bytes')} expected from the load`;
    if (found < min * loadedBytes) return fail(`${words}: data is missing`);
    if (found > max.times * loadedBytes + max.bytes)
      return warn(`${words}: the database contains other data or dead rows`);
    return pass(words);
  },
};
