import { fail, notAssessed, pass, type TrialCheck, warn } from '../check.ts';

/** A tool foretells the size of what it loads to a few hundredths; the rest is for tables that were laid out otherwise. */
const least = 0.5;
/** Twice the data, and what every database has: beyond, the trial reads mostly what is dead. */
const most = { times: 2, bytes: 100 * 2 ** 20 };

/** Whether the database has the size of what was loaded. A smaller one has lost data, or is another one. */
export const loadedSize: TrialCheck = ({ measures }, { loadedBytes }) => {
  const name = 'size of the database';
  const { 'database.sizeAtStart': found = null } = measures;
  if (found === null) return notAssessed(name, 'it was not read');
  if (loadedBytes === null) {
    return notAssessed(name, `${mebibytes(found)} at the start; the size of your own data is not known beforehand`);
  }
  const words = `${mebibytes(found)} at the start, ${mebibytes(loadedBytes)} were to be loaded`;
  if (found < least * loadedBytes) return fail(name, `${words}: data is missing`);
  if (found > most.times * loadedBytes + most.bytes) return warn(name, `${words}: it holds other data, or dead rows`);
  return pass(name, words);
};

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MiB`;
}
