import { UserError } from '../contract/errors.ts';
import { type CarriedOutStep, carriedOutStepSchema, type Result, resultFile } from '../contract/result.ts';
import { runFile } from '../contract/run-record.ts';
import {
  type Facts,
  inOrderOfEnd,
  laterFile,
  type LaterFindings,
  laterSeriesFile,
  type Trial,
  trialFile,
} from '../contract/trial.ts';
import { ChangedFileError, DamagedFileError, parseVersioned } from '../contract/versioned-file.ts';
import { type Agreement, disagreementOf, type Sums, sumsFile } from '../files/sums.ts';
import { runFiles, trialFiles } from './run-files.ts';
import type { StoredRun, UnreadableTrial } from './run-store.ts';
import type { Measures } from '../contract/metric.ts';

/** The text of a file, with its path or address for messages. */
export interface FileText {
  source: string;
  text: string;
  /** With the manifest of its run. */
  agreement: Agreement;
}

/** The files of a run, from wherever they are kept. */
export interface RunTexts {
  run: FileText;
  /** Empty if no step was carried out yet. */
  steps: FileText;
  trials: readonly TrialTexts[];
  /** Trials with missing files that the manifest lists. */
  missing: readonly UnreadableTrial[];
}

export interface TrialTexts {
  /** Folder of the trial below `trials/`. */
  id: string;
  trial: FileText;
  /** What was found later, in the order of the names of the files. */
  later: readonly FileText[];
}

/** A result, with whatever does not match the manifest of its run. */
export interface StoredResult {
  result: Result;
  disagreements: readonly ChangedFileError[];
}

/** null if there is none, or if it is not in the manifest: then the run was cut off while writing it. */
export function parseStoredResult(file: FileText | null): StoredResult | null {
  if (!file || file.agreement === 'unsealed') return null;
  return { result: parseVersioned(file.text, file.source, resultFile), disagreements: disagreementsOf([file]) };
}

/**
 * If a trial is damaged, missing, or does not match the manifest, only its id is read, and the others still count. What
 * is not in the manifest was being written when its run was cut off, and does not count.
 *
 * @throws {UserError} with the file if another file is damaged, or not where it belongs
 */
export function parseStoredRun({ run, steps, trials, missing }: RunTexts): StoredRun {
  const unreadable: UnreadableTrial[] = [...missing];
  const gone = new Set(missing.map(({ id }) => id));
  const known = trials
    .filter(({ id }) => !gone.has(id))
    .map(({ later, ...texts }) => ({ ...texts, later: later.filter(({ agreement }) => agreement !== 'unsealed') }));
  const readable = known.flatMap((texts) => {
    try {
      return [parseTrial(texts)];
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      unreadable.push({ id: texts.id, error });
      return [];
    }
  });
  const changed = unreadable.flatMap(({ error }) => (error instanceof ChangedFileError ? [error] : []));
  return {
    run: parseVersioned(run.text, run.source, runFile),
    steps: steps.agreement === 'unsealed' ? [] : parseSteps(steps),
    trials: inOrderOfEnd(readable),
    unreadable,
    foundLater: new Set(known.filter(({ later }) => later.length > 0).map(({ id }) => id)),
    // A run writes its record before anything else, with the first manifest. Without its line, someone else has put it
    // there.
    disagreements: [...wrong(disagreementOf(run.source, run.agreement)), ...disagreementsOf([steps]), ...changed],
    caveats: steps.agreement === 'unsealed' && steps.text !== '' ? [unsealedSteps(steps.source)] : [],
  };
}

/** @throws {ChangedFileError} the first of them */
export function requireAgreement([first]: readonly ChangedFileError[]): void {
  if (first) throw first;
}

/** Ids of the trials that a manifest lists. */
export function trialsIn(sums: Sums | null): string[] {
  return [...(sums?.keys() ?? [])].flatMap((name) => {
    const [top, id = '', file] = name.split('/');
    return top === runFiles.trials && file === trialFiles.trial ? [id] : [];
  });
}

/**
 * The trials of a manifest that are missing, or whose later findings are missing: whoever removes findings could
 * otherwise choose what a trial is judged by.
 *
 * @param isThere whether there is a file, by its name relative to the run
 */
export function missingTrials(
  sums: Sums | null,
  isThere: (name: string) => boolean,
  location: string,
): UnreadableTrial[] {
  const missing = new Map<string, UnreadableTrial>();
  for (const name of sums?.keys() ?? []) {
    const [top, id = '', ...file] = name.split('/');
    const isRead = file.join('/') === trialFiles.trial || (file[0] === trialFiles.later && name.endsWith('.json'));
    if (top !== runFiles.trials || !isRead || isThere(name)) continue;
    missing.set(id, { id, error: new ChangedFileError(`${location.replace(/\/$/, '')}/${name}`, 'is missing') });
  }
  return [...missing.values()];
}

/** What takes the place of the steps if a run has no file of them. */
export function noSteps(sums: Sums | null, location: string): FileText {
  const agreement = sums?.has(runFiles.steps) ? 'changed' : 'unsealed';
  return { source: `${location.replace(/\/$/, '')}/${runFiles.steps}`, text: '', agreement };
}

function unsealedSteps(source: string): string {
  return `${source} is not in ${sumsFile}: pgduet was killed while writing it, or someone has changed it. pgduet ignores its steps.`;
}

/** Disagreements of files that simply do not count if the manifest does not name them. */
function disagreementsOf(files: readonly FileText[]): ChangedFileError[] {
  return files.flatMap(({ source, agreement }) =>
    agreement === 'changed' ? wrong(disagreementOf(source, agreement)) : [],
  );
}

function wrong(error: ChangedFileError | null): ChangedFileError[] {
  return error ? [error] : [];
}

function parseTrial({ id, trial: { text, source, agreement }, later }: TrialTexts): Trial {
  requireAgreement(disagreementsOf([{ text, source, agreement }, ...later]));
  const trial = parseVersioned(text, source, trialFile);
  if (trial.id !== id) {
    throw new UserError(`${source} belongs to the trial ${trial.id}. Restore the file of ${id}.`);
  }
  if (agreement === 'unsealed' && trial.state !== 'interrupted') return cutOff(trial, neverSealed);
  return withLater(
    trial,
    later.map((one) => parseVersioned(one.text, one.source, laterFile)),
  );
}

/**
 * Why a trial was cut off that says how it ended, but that the manifest does not list: it is unknown whether its other files
 * are complete, and whether it belongs to this run. Otherwise, one that says that it failed would be a loss of its side.
 */
const neverSealed = 'pgduet was killed before its files were in SHA256SUMS, or someone else put them there';

/** @param why after its end, in words */
export function cutOff({ files: _, ...trial }: Trial, why: string): Trial {
  return {
    ...trial,
    state: 'interrupted',
    failure: { stage: 'collect', code: 'cut-off', error: `it was cut off: ${why}` },
    measures: {},
    series: [],
    facts: {},
    checks: [],
  };
}

function parseSteps({ text, source }: FileText): CarriedOutStep[] {
  return wholeLines(text).map((line, index) => {
    try {
      return carriedOutStepSchema.parse(JSON.parse(line));
    } catch (error) {
      throw new UserError(`${source}:${index + 1} is damaged: ${error instanceof Error ? error.message : ''}`);
    }
  });
}

/** Without an incomplete last line, which was being written when the power failed. */
export function wholeLines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** The trial with what sources found later, which replaces what the same sources had found before. */
export function withLater(trial: Trial, later: readonly LaterFindings[]): Trial {
  const asked = later.map(({ collector }) => collector);
  const files = asked.map(laterSeriesFile);
  return {
    ...trial,
    ...mergeFindings([{ ...trial, facts: withoutAbsence(trial.facts, asked) }, ...later]),
    series: [
      ...trial.series.filter(({ file }) => !files.includes(file)),
      ...later.flatMap(({ series }) => series ?? []),
    ],
  };
}

/** Drops the reasons why these sources were absent, which may have passed. */
function withoutAbsence({ absent, ...facts }: Trial['facts'], collectors: readonly string[]): Trial['facts'] {
  const others = Object.entries(absent ?? {}).filter(([name]) => !collectors.includes(name));
  return others.length === 0 ? facts : { ...facts, absent: Object.fromEntries(others) };
}

/** Facts to which several sources add. For any other fact, the last value counts. */
const lists = ['problems', 'counterProblems'] as const;

/** Merges what several sources found about one trial. */
export function mergeFindings(found: readonly { measures?: Measures; facts?: Facts }[]): {
  measures: Record<string, number | null>;
  facts: Facts;
} {
  const facts = Object.assign({}, ...found.map((one) => one.facts ?? {})) as Facts;
  for (const name of lists) {
    const all = found.flatMap((one) => one.facts?.[name] ?? []);
    if (all.length > 0) facts[name] = all;
  }
  // A source may have several gaps, and each has its reason.
  const reasons = new Map<string, Set<string>>();
  for (const [source, why] of found.flatMap((one) => Object.entries(one.facts?.absent ?? {})))
    reasons.set(source, (reasons.get(source) ?? new Set()).add(why));
  if (reasons.size > 0)
    facts.absent = Object.fromEntries([...reasons].map(([source, all]) => [source, [...all].join('; ')]));
  return {
    measures: Object.assign({}, ...found.map(({ measures }) => measures ?? {})) as Record<string, number | null>,
    facts,
  };
}
