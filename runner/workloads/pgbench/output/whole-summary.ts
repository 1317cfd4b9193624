import { disagreement } from './disagreement.ts';
import { carriedOut, type Figures, type SummaryLines } from './summary-lines.ts';

/**
 * What a summary lacks to be whole, in words; null if it has every line that pgbench of this version prints after such a run,
 * and no other line.
 *
 * @param clientVersion null before 14, and where the first line was not kept
 */
export function whatIsMissing(found: SummaryLines, clientVersion: string | null): string | null {
  const { run, scripts, unreadable } = found;
  const transactions = Number(run.get('processed')?.[0] ?? NaN);
  if (!run.has('type') || Number.isNaN(transactions)) return 'the summary is cut off';
  // A run without transactions has no speed.
  if (transactions > 0 && !hasSpeed(run)) return 'the summary is cut off before its tps';
  if (run.get('type')?.[0] === 'multiple scripts' ? !areWhole(scripts, run) : scripts.length > 0) {
    return 'the sections of its scripts are cut off, or those of another run';
  }
  const [first] = unreadable;
  if (first !== undefined) return `its summary has a line that pgbench does not print there: "${first.slice(0, 200)}"`;
  const absent = requiredLines(run, Number.parseInt(clientVersion ?? '')).filter((name) => !run.has(name));
  if (absent.length > 0) return `its summary lacks lines that pgbench prints (${absent.join(', ')})`;
  const blocks = [run, ...scripts.map(({ figures }) => figures)];
  if (
    (run.has('tpsIncluding') && sinceOneSpeed.some((name) => run.has(name))) ||
    (run.has('failed') && blocks.some((figures) => spaced.some((name) => figures.get(name)?.at(-1) === ' ')))
  ) {
    return 'its summary has lines of several versions of pgbench';
  }
  return disagreement(found);
}

/** Up to 13 the speed is printed twice, with and without the time to connect. */
function hasSpeed(run: Figures): boolean {
  const names = run.has('tpsIncluding') ? ['tpsIncluding', 'tpsExcluding'] : ['tps'];
  return names.every((name) => Number.isFinite(Number(run.get(name)?.[0] ?? NaN)));
}

/** Lines of which pgbench prints all or none. */
const together = [
  ['partitionMethod', 'partitions'],
  ['tpsIncluding', 'tpsExcluding'],
  ['serializationFailures', 'deadlockFailures'],
  ['retried', 'retries'],
];

/** Names of lines that must be there, given the others. */
function requiredLines(run: Figures, majorVersion: number): string[] {
  const has = (...names: string[]): boolean => names.some((name) => run.has(name));
  const whenCarriedOut = (...names: string[]): string[] => (run.get('processed')?.[0] === '0' ? [] : names);
  return [
    'scale',
    'mode',
    'clients',
    'threads',
    has('duration') ? 'duration' : 'transactionsOfClient',
    ...together.filter((names) => has(...names)).flat(),
    ...whenCarriedOut('latencyAverage'),
    ...(majorVersion >= 14 || has('tps')
      ? whenCarriedOut(has('averageConnection') ? 'averageConnection' : 'initialConnection')
      : []),
    // Versions differ in whether they print the failures of a run without transactions.
    ...(majorVersion >= 15 || has('tries', 'failed') ? ['tries', ...whenCarriedOut('failed')] : []),
    ...(has('tries') && run.get('tries')?.[0] !== '1' ? whenCarriedOut('retried', 'retries') : []),
    // Only with a rate and a limit are transactions skipped.
    ...(has('skipped') || (has('lag') && has('aboveLimit')) ? ['skipped', 'aboveLimit', 'lag'] : []),
    ...(has('lag', 'aboveLimit') ? whenCarriedOut('latencyStddev') : []),
  ];
}

/** Lines that no version prints together with the two speeds. */
const sinceOneSpeed = ['tps', 'initialConnection', 'averageConnection', 'tries', 'failed'];

/** Lines whose share has a space before the percent sign where no version prints failed transactions yet. */
const spaced = ['skipped', 'aboveLimit'];

/** What is printed of the whole run is printed of each script, too. */
const ofEachScript = ['failed', 'serializationFailures', 'deadlockFailures', 'otherFailures', 'retried', 'retries'];

function areWhole(scripts: SummaryLines['scripts'], run: Figures): boolean {
  const number = (text: string | undefined): number => Number(text ?? NaN);
  const weights = scripts.reduce((sum, { figures }) => sum + number(figures.get('weight')?.[0]), 0);
  // The printed shares are right only if the weights of all scripts are there. The transactions need not add up: threads
  // count them for each script without a lock.
  return (
    scripts.length > 1 &&
    scripts.every(({ figures }) => {
      const [weight, target] = figures.get('weight') ?? [];
      const [transactions, tps] = carriedOut(figures).map(number);
      const isShare = Math.abs((100 * number(weight)) / weights - number(target)) < 0.0501;
      // A script that never ran has no latency.
      if (!isShare || transactions === 0) return isShare;
      return (
        figures.has('transactions') &&
        Number.isFinite(tps) &&
        figures.has('latencyAverage') &&
        figures.has('latencyStddev') &&
        ofEachScript.every((name) => figures.has(name) === run.has(name))
      );
    })
  );
}
