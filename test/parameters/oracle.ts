import type { Measures } from '../../runner/contract/metric.ts';
import type { Result } from '../../runner/contract/result.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { metricNamed } from '../../runner/metrics/catalogue.ts';
import { valueOf } from '../../runner/metrics/value.ts';
import type { Drawn } from './parameters.ts';
import { stackOfBug } from '../faults/oracle/invariants.ts';
import { asleepSeconds, type Ended, load } from './run.ts';

/** What must not be, in words; empty if all holds. */
export function violationsOf(parameters: readonly Drawn[], ended: Ended): string[] {
  const { exitCode, stderr, result, report } = ended;
  if (exitCode === 70 || stackOfBug.test(stderr)) return ['a bug is told'];
  if (exitCode === 2) return namedIn(ended, parameters).length > 0 ? [] : ['the refusal names no parameter'];
  if (exitCode === 1) return namedIn(ended, parameters).length > 0 ? [] : ['trials failed, and no parameter is named'];
  if (exitCode !== 0) return [`exit code ${exitCode ?? 'none'}`];
  if (!result) return ['there is no result'];
  return [
    ...result.trials.flatMap((trial) => inTrial(trial, ended)),
    ...betweenSides(result, parameters),
    ...(/\b(NaN|undefined|Infinity|null)\b/.test(report) ? ['the report prints what is no figure'] : []),
  ];
}

/** What a run says for itself that had no answer, without its plan, which names all parameters. */
export function messageOf({ stderr, result }: Ended): string {
  const failures = (result?.trials ?? []).flatMap(({ failure }) => failure?.error ?? []);
  return [/^pgduet: [^]*$/m.exec(stderr)?.[0] ?? '', ...failures].join('\n');
}

export function namedIn(ended: Ended, parameters: readonly Drawn[]): Drawn[] {
  const message = messageOf(ended).toLowerCase();
  return parameters.filter(({ name }) => message.includes(name.toLowerCase()));
}

/** What one trial says, against what is known of it otherwise: what pgbench printed, and what the script does. */
function inTrial(trial: Trial, { printed }: Ended): string[] {
  const { measures, facts, id } = trial;
  const whose = (what: string): string => `${id}: ${what}`;
  const processed = /transactions actually processed: (\d+)/.exec(printed.get(id) ?? '')?.[1];
  const transactions = processed === undefined ? null : Number(processed);
  if (transactions === null) return [whose('pgbench’s own count is gone')];
  const known = (name: string): number | null => measures[name] ?? null;
  const least = (name: string, bound: number, value = known(name)): string[] =>
    value !== null && value < bound ? [whose(`${name} is ${value}, which cannot be less than ${bound}`)] : [];
  const near = (name: string, truth: number, share: number, value = known(name)): string[] =>
    value !== null && Math.abs(value - truth) > share * truth
      ? [whose(`${name} is ${value}, but ${truth} by another account`)]
      : [];
  const blocks = sumOf(measures, ['database.blocksRead', 'database.blocksHit']);
  const sessions = sumOf(measures, ['waits.active', 'waits.idle']);
  // A server may be made to send every query to a parallel worker, for which its session waits.
  const asleep = sumOf(measures, ['turn.sleep', 'turn.parallel']);
  const statements = facts.statements ?? [];
  const calls = Math.max(0, ...statements.map((one) => one.calls));
  return [
    ...near('transactions', transactions, 0),
    ...least('database.commits', transactions),
    ...least('blocks', 4 * transactions, blocks),
    ...least('database.temporaryBytes', 10_000 * transactions),
    ...least('wal.records', 3 * transactions),
    ...least('wal.bytes', 200 * transactions),
    ...near('waits.active + waits.idle', load.clients, 0.34, sessions),
    // Sessions are sampled, so what they do is known to within chance.
    ...least('turn.sleep', asleepSeconds / 5, asleep),
    ...(statements.length > 0 ? near('calls of the most frequent statement', transactions, 0.1, calls) : []),
    ...timed(measures, 'wal.syncs', 'wal.syncTime', whose),
    ...timed(measures, 'wal.writes', 'wal.writeTime', whose),
    ...timed(measures, 'database.blocksRead', 'database.readTime', whose),
    ...logged(trial).map(whose),
  ];
}

function sumOf(measures: Measures, names: readonly string[]): number | null {
  return names.reduce<number | null>((sum, name) => {
    const value = measures[name] ?? null;
    return sum === null || value === null ? null : sum + value;
  }, 0);
}

/** What takes time takes some. */
function timed(measures: Measures, count: string, time: string, whose: (what: string) => string): string[] {
  const [counted, seconds] = [measures[count] ?? null, measures[time] ?? null];
  return (counted ?? 0) > 10 && seconds === 0 ? [whose(`${time} is 0, but ${count} is ${counted ?? 0}`)] : [];
}

/** Checkpoints that wrote something are counted only when they end, so the log has one of them, too. */
function logged({ facts, measures }: Trial): string[] {
  const { checkpoints } = facts;
  const { 'checkpoints.count': count = null, 'checkpoints.buffers': buffers = null } = measures;
  if (checkpoints?.length !== 0 || (count ?? 0) < 2 || (buffers ?? 0) < 20) return [];
  return [`the log is said to have no checkpoint, but ${count ?? 0} are counted`];
}

/** From this number on, chance does not make it zero on the other side. */
const clear: Readonly<Record<string, number>> = { '1': 20, B: 100_000, s: 0.05 };

/** Zeros that a parameter brings about itself, by what is zero. */
const honest: Readonly<Record<string, RegExp>> = {
  'wal.syncs': /^(fsync|wal_sync_method|synchronous_commit)$/,
  'wal.syncTime': /^(fsync|wal_sync_method|synchronous_commit)$/,
  'wal.fullPageImages': /^full_page_writes$/,
  'wal.buffersFull': /^wal_buffers$/,
  'database.temporaryBytes': /^(work_mem|hash_mem_multiplier)$/,
  'database.blocksRead': /^shared_buffers$/,
  'backgroundWriter.buffers': /^(bgwriter_|shared_buffers)/,
  // So short a trial may have no checkpoint, and no whole second.
  'checkpoints.': /./,
  'seconds.': /./,
  'backends.': /./,
  'debt.': /./,
  'statements.': /^jit/,
};

function betweenSides({ trials, comparisons, experiment }: Result, parameters: readonly Drawn[]): string[] {
  const of = (variant: string): Trial[] => trials.filter(({ conditions }) => conditions.variant === variant);
  const [one, two] = [of('one'), of('two')];
  const names = [...new Set(trials.flatMap(({ measures }) => Object.keys(measures)))];
  const read = (name: string, own: readonly Trial[]): (number | null)[] =>
    own.map((trial) => valueOf(metricNamed(name) ?? { name }, trial));
  const found: string[] = [];
  for (const name of names) {
    const metric = metricNamed(name);
    const [before, after] = [read(name, one), read(name, two)];
    const isZero = after.every((value) => value === 0);
    const isClear = before.every((value) => (value ?? 0) >= (clear[metric?.unit ?? ''] ?? Infinity));
    const isHonest = Object.entries(honest).some(
      ([begin, why]) => name.startsWith(begin) && parameters.some((each) => why.test(each.name)),
    );
    if (isZero && isClear && !isHonest) found.push(`${name} is 0 on two, and ${before.join(' and ')} on one`);
    const isGap = after.every((value) => value === null) && before.every((value) => value !== null);
    const reasons = two.map(
      ({ facts }) => Object.keys(facts.absent ?? {}).length + (facts.counterProblems ?? []).length,
    );
    if (isGap && !metric?.deriveFromSeries && metric && reasons.some((count) => count === 0))
      found.push(`${name} is not known on two, and nothing says why`);
    const compared = comparisons.find((comparison) => comparison.metric === name);
    if (isGap && compared && compared.change !== null)
      found.push(`${name} is compared although it is not known on two`);
  }
  const known = experiment.definition.variants;
  return Object.keys(known).length === 2 ? found : [...found, 'the result has other variants'];
}
