import { disagreement, doubtAboutRounding, wrongCount } from './disagreement.ts';
import { type Figures, lastPlaceOf } from './figures.ts';
import { labelOf, severalScripts, type SummaryLines } from './summary-lines.ts';

/**
 * Why a summary cannot be counted as a whole one, each in words: it is cut off or damaged, lacks lines, or has figures that
 * nothing confirms.
 *
 * @param clientVersion null before 14, and if the first line was not kept
 * @param numberOf number of a line in its file; null if it is in none
 */
export function doubtsAbout(
  found: SummaryLines,
  clientVersion: string | null,
  numberOf: (line: string) => number | null,
): string[] {
  const damage = damageOf(found, numberOf);
  if (damage !== null) return [damage];
  const { run } = found;
  const absent = requiredLines(run, Number.parseInt(clientVersion ?? '')).filter((name) => !run.has(name));
  const names = absent.map((name) => `"${labelOf(name)}"`).join(', ');
  const rounding = doubtAboutRounding(found);
  return [
    ...(absent.length > 0 ? [`lines that pgbench prints are missing: ${names}`] : []),
    ...(rounding === null ? [] : [rounding]),
  ];
}

/**
 * Why a summary is cut off or damaged, in words; null if it is neither: it has its end and no foreign line, and its
 * figures do not contradict each other.
 */
function damageOf(found: SummaryLines, numberOf: (line: string) => number | null): string | null {
  const { run, scripts, unreadable } = found;
  // A run without transactions has no speed.
  const isEmpty = run.has('type') && run.text('processed') === '0';
  if (!isEmpty && !hasSpeed(run)) {
    const wrong = wrongCount(run);
    const end = run.has('processed') ? 'the summary is cut off before its tps' : 'the summary is cut off';
    return wrong === null ? end : `${end}, and contradicts itself about ${wrong}`;
  }
  if (run.text('type') === severalScripts ? !areWhole(scripts, run) : scripts.length > 0) {
    return 'the sections of its scripts are cut off, or are from another run';
  }
  const [first] = unreadable;
  if (first !== undefined) {
    const at = numberOf(first);
    return `its summary has a line that pgbench does not print there${at === null ? '' : ` (line ${at})`}: "${first.slice(0, 200)}"`;
  }
  if (run.has('tpsIncluding') && run.has(...sinceOneSpeed)) {
    return 'its summary has lines from several versions of pgbench';
  }
  return disagreement(found);
}

/** Up to 13, pgbench prints the speed twice, with and without the time to connect. */
function hasSpeed(run: Figures): boolean {
  const printed = speedLines.filter((name) => run.has(name));
  return printed.length > 0 && printed.every((name) => run.finite(name) !== null);
}

const speedLines = ['tpsIncluding', 'tpsExcluding', 'tps'];

/** Groups of lines: pgbench prints all lines of a group, or none. */
const together = [
  ['partitionMethod', 'partitions'],
  ['tpsIncluding', 'tpsExcluding'],
  ['serializationFailures', 'deadlockFailures'],
  ['retried', 'retries'],
];

/** Names of lines that must be there, given the others. */
function requiredLines(run: Figures, majorVersion: number): string[] {
  const has = run.has.bind(run);
  const whenCarriedOut = (...names: string[]): string[] => (run.text('processed') === '0' ? [] : names);
  return [
    'type',
    'processed',
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
    ...(majorVersion >= 15 || has('tries', 'failed') ? whenCarriedOut('failed') : []),
    // With --max-tries=0, which takes a duration or a latency limit, there is no such number: only the line of retries
    // shows it.
    ...((majorVersion >= 15 || has('tries', 'failed')) && !(has('retries') && has('duration', 'aboveLimit'))
      ? ['tries']
      : []),
    ...(has('tries') && run.text('tries') !== '1' ? whenCarriedOut('retried', 'retries') : []),
    // Transactions are skipped only with a rate and a limit.
    ...(has('skipped') || (has('lag') && has('aboveLimit')) ? ['skipped', 'aboveLimit', 'lag'] : []),
    ...(has('lag', 'aboveLimit') ? whenCarriedOut('latencyStddev') : []),
  ];
}

/** Lines that no version prints together with the two speeds. */
const sinceOneSpeed = ['tps', 'initialConnection', 'averageConnection', 'tries', 'failed'];

/** If pgbench prints these for the whole run, it also prints them for each script. */
const printedPerScript = ['failed', 'serializationFailures', 'deadlockFailures', 'otherFailures', 'retried', 'retries'];

function areWhole(scripts: SummaryLines['scripts'], run: Figures): boolean {
  const weights = scripts.reduce((sum, { figures }) => sum + figures.number('weight'), 0);
  // The printed shares are right only if the weights of all scripts are there. The transactions need not add up:
  // threads count them for each script without a lock.
  return (
    scripts.length > 1 &&
    scripts.every(({ figures }) => {
      const [transactions, tps] = figures.carriedOut.map((text) => Number(text ?? NaN));
      const share = (100 * figures.number('weight')) / weights;
      const isShare = Math.abs(share - figures.number('weight', 1)) < 0.501 * lastPlaceOf(figures.text('weight', 1));
      const isOfRun = printedPerScript.every((name) => run.has(name) || !figures.has(name));
      // A script that never ran has no latency.
      if (!isShare || !isOfRun || transactions === 0) return isShare && isOfRun;
      return (
        figures.has('transactions') &&
        Number.isFinite(tps) &&
        figures.has('latencyAverage') &&
        figures.has('latencyStddev') &&
        printedPerScript.every((name) => figures.has(name) === run.has(name))
      );
    })
  );
}
