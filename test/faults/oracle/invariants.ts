import type { Evidence } from './evidence.ts';
import { causesOfFull, rows } from '../cases.ts';
import { type Injection, trialsOfRun } from '../plan.ts';
import type { FailureCode } from '../../../runner/contract/failures.ts';
import type { TrialOnDisk } from './run-on-disk.ts';

/** Something that must hold whatever happens to a run. Returns what does not hold. */
export interface Invariant {
  name: string;
  violations(evidence: Evidence): string[];
}

/** What a trial may give as the reason that it did not finish. */
function isCause(code: FailureCode, { target, kind, place }: Injection): boolean {
  const causes = rows.filter((row) => row.target === target && row.places.includes(place)).flatMap((row) => row.causes);
  return [...causes, ...(kind === 'full' ? causesOfFull : [])].includes(code);
}

/** How Node prints a stack, which only a bug has. */
export const stackOfBug = /\n\s+at .*:\d+:\d+\)?\n/;

const isKilled = ({ injection, strike }: Evidence): boolean =>
  strike !== null && injection.target === 'runner' && injection.kind === 'KILL';

export const invariants: readonly Invariant[] = [
  {
    name: 'it ends',
    violations: ({ ended, seconds, interrupted }) =>
      ended ? [] : [`still running ${Math.round(seconds)} s after the fault${interrupted ? ', and Ctrl-C' : ''}`],
  },
  {
    name: 'exit code and message as documented',
    violations(evidence) {
      const { ended, after, interrupted, injection, strike } = evidence;
      if (!ended || isKilled(evidence)) return [];
      const { exitCode, stderr } = ended;
      const observed = `exit code ${exitCode ?? 'none, by a signal'}`;
      if (exitCode === 70 || stackOfBug.test(stderr)) return [`${observed}, and a fault is called a bug`];
      const complete = after.result?.complete === true;
      const trials = [...after.trials.values()];
      switch (exitCode) {
        case 0:
          return complete ? [] : ['exit code 0 without a complete result'];
        case 1:
          return after.result && !complete ? [] : [`exit code 1, but no trial failed`];
        case 2:
          if (!/^pgduet: /m.test(stderr) && injection.kind !== 'vanish') return ['exit code 2 without a message'];
          return injection.kind === 'full' ||
            injection.kind === 'swap' ||
            trials.every(({ record }) => record.state !== 'finished')
            ? []
            : ['exit code 2, but there is nothing that the user can put right'];
        case 3:
          return /^pgduet: /m.test(stderr) ? [] : ['exit code 3 without a message'];
        case 130:
          return interrupted ? [] : ['exit code 130, but nobody interrupted it'];
        default:
          return [`${observed}, after ${strike?.what ?? 'no fault'}`];
      }
    },
  },
  {
    name: 'finished trials stay as they are',
    violations: ({ before, after }) =>
      finished(before.trials).flatMap(({ id, text }) => {
        const now = after.trials.get(id);
        return now?.text === text ? [] : [`${id} was finished and is ${now ? 'changed' : 'gone'}`];
      }),
  },
  {
    name: 'no file is damaged',
    violations: ({ after }) => after.damaged,
  },
  {
    name: 'the result holds exactly the trials that are on disk',
    violations({ after }) {
      if (!after.result) return [];
      const inResult = new Map(after.result.trials.map((trial) => [trial.id, trial.state]));
      const onDisk = new Map([...after.trials.values()].map(({ id, record }) => [id, record.state]));
      return [...new Set([...inResult.keys(), ...onDisk.keys()])].flatMap((id) =>
        inResult.get(id) === onDisk.get(id)
          ? []
          : [`${id} is ${inResult.get(id) ?? 'missing'} in the result and ${onDisk.get(id) ?? 'missing'} on disk`],
      );
    },
  },
  {
    name: 'no trial is invented',
    // A trial that was cut off stays on record beside the one that was measured in its stead.
    violations({ after, ended }) {
      const measured = finished(after.trials);
      const names = measured.map(
        ({ record: { block, attempt, conditions } }) => `${block}.${attempt} ${conditions.variant}`,
      );
      const wanted = new Set(measured.map(({ record: { block, conditions } }) => `${block} ${conditions.variant}`));
      return [
        ...duplicates(names),
        ...measured.flatMap((trial) => inventedIn(trial)),
        ...(ended?.exitCode === 0 && wanted.size !== trialsOfRun ? [`a complete run of ${wanted.size} trials`] : []),
      ];
    },
  },
  {
    name: 'silence is told',
    violations: ({ after }) =>
      finished(after.trials).flatMap((trial) => {
        const seconds = longestSilence(trial);
        return seconds < silentSeconds || isMarked(trial, silenceChecks)
          ? []
          : [`${trial.id} counts without a mark, with ${seconds.toFixed(1)} s without a transaction`];
      }),
  },
  {
    name: 'the trial that was hit tells why',
    violations({ after, at, sure, strike, injection, interrupted }) {
      const unfinished = [...after.trials.values()].filter(({ record }) => record.state !== 'finished');
      const wrong = unfinished.flatMap(({ id, record: { failure, state } }) => {
        const { code = 'other', stage = '?', error = '' } = failure ?? {};
        const isFitting = isCause(code, injection) || (interrupted && code === 'interrupted');
        return isFitting ? [] : [`${id} ${state} in ${stage}: ${code}: "${error}"`];
      });
      const hit = at.trial === null ? undefined : after.trials.get(at.trial);
      const cannotCount =
        sure && strike?.lasting && injection.kind === 'KILL' && injection.target !== 'runner' && at.phase !== 'collect';
      const concerns = !strike?.variant || hit?.record.conditions.variant === strike.variant;
      const counted = cannotCount && concerns && hit?.record.state === 'finished' && !isMarked(hit);
      return [...wrong, ...(counted ? [`${hit.id} counts, although its ${injection.target} was killed`] : [])];
    },
  },
  {
    name: 'nothing is written to a folder that took the place of the run’s',
    violations: ({ strike }) => (strike?.intruded?.() ?? []).map((name) => `${name} is there`),
  },
  {
    name: 'a second run is refused',
    violations: ({ strike }) =>
      strike?.second?.exitCode !== undefined && strike.second.exitCode !== 2
        ? [`a second run ended with ${strike.second.exitCode ?? 'a signal'}: ${lastLine(strike.second.stderr)}`]
        : [],
  },
  {
    name: 'what is said to be saved is in the bucket',
    violations({ bucket, ended }) {
      if (!bucket || !ended) return [];
      const { status, missing, files } = bucket;
      const isOver = ended.exitCode === 0 || ended.exitCode === 1;
      if (!status) return isOver ? ['there is no status'] : [];
      return [
        ...(isOver && (!status.saved || !status.deleteAfter) ? ['its end is not saved, so its stack stays'] : []),
        ...(status.saved && missing.length > 0 ? [`saved, but not there: ${missing.join(', ')}`] : []),
        ...(status.saved && status.saved.objects !== files
          ? [`${status.saved.objects} objects are said to be saved, of ${files} files`]
          : []),
      ];
    },
  },
  {
    name: 'nothing is left',
    violations: ({ left, cleaned }) => [
      ...Object.entries(left).flatMap(([kind, names]: [string, string[]]) =>
        names.length === 0 ? [] : [`${kind}: ${names.join(', ')}`],
      ),
      ...(cleaned && cleaned.exitCode !== 0
        ? [`clean ended with ${cleaned.exitCode ?? 'a signal'}: ${lastLine(cleaned.stderr)}`]
        : []),
    ],
  },
];

function finished(trials: ReadonlyMap<string, TrialOnDisk>): TrialOnDisk[] {
  return [...trials.values()].filter(({ record }) => record.state === 'finished');
}

function duplicates(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map((name) => `${name} twice`);
}

/** Whether a trial says of itself that something is not as it should be: by one of these checks, or in any way. */
function isMarked({ record: { checks, facts } }: TrialOnDisk, by?: readonly string[]): boolean {
  const reported = checks.filter(({ state }) => state === 'fail' || state === 'warn');
  return by ? reported.some(({ id }) => by.includes(id)) : reported.length + (facts.problems ?? []).length > 0;
}

/** What a finished trial says, and its own tool did not. */
function inventedIn(trial: TrialOnDisk): string[] {
  const { id, record, output, transactions } = trial;
  const reported = record.measures['transactions'] ?? null;
  const printed = /^number of transactions actually processed: (\d+)/m.exec(output ?? '')?.[1];
  if (printed === undefined) return [`${id} finished, and pgbench printed no number of transactions`];
  const logged = transactions?.length ?? 0;
  return [
    ...(reported === Number(printed) ? [] : [`${id} says ${reported ?? 'no'} transactions, and pgbench ${printed}`]),
    ...(logged === reported || isMarked(trial, ['transaction-log', 'transactions'])
      ? []
      : [`${id} counts without a mark, with ${logged} transactions in its log, and ${reported ?? 'no'} in all`]),
  ];
}

/** What these checks judge is what a silence changes. */
const silenceChecks = ['silent-seconds', 'length-of-the-trial', 'offered-transactions'];

/** At the rate of the experiment, there are some dozens of transactions in this time. */
const silentSeconds = 2;

function longestSilence({ record, transactions }: TrialOnDisk): number {
  if (!transactions) return 0;
  const times = [Date.parse(record.startedAt) / 1000, ...transactions];
  return Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
