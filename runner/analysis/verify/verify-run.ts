import type { ReadRemote, RemoteRun } from '../../storage/remote-run.ts';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import type { Result } from '../../contract/result.ts';
import type { Finding, Verification } from '../../contract/verification.ts';
import { ChangedFileError } from '../../contract/versioned-file.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import { entriesBelow } from '../../files/look.ts';
import { readSums, sumOfFileIn, sumsFile } from '../../files/sums.ts';
import { hashesOf } from '../../storage/kept-run.ts';
import { filesOfRun, isSealable, runFiles, sumsOf, trialFiles } from '../../storage/run-files.ts';
import { namedRunFolder, readRunFolder, readStoredResult } from '../../storage/run-folder.ts';
import type { StoredRun } from '../../storage/run-store.ts';
import { readHere, sealedReader, seriesSource } from '../../storage/series.ts';
import type { StoredResult } from '../../storage/stored-run.ts';
import { withKnownDefinition } from '../open-result.ts';
import { strayTrials, wrongPlan } from './verify-plan.ts';
import { verifyResult, verifyTrial } from './verify-result.ts';

/** A run as it is verified, wherever it is kept. */
interface VerifiedRun extends Omit<RemoteRun, 'content'> {
  /** Names of everything in the folder, without the manifest; empty for a bucket. */
  entries: readonly string[];
  /** Those of them that are not files, such as links. */
  others: readonly string[];
  present: readonly string[];
  content: StoredResult | StoredRun | null;
  /** What the files of the trials hold, if a result was read as well; null if that is unknown. */
  stored: StoredRun | null;
  /** Whether only the result and the series of its trials are here, and not the files that it was made from. */
  isCopy: boolean;
  /** Why the files could not be read as a run. */
  unreadable: string[];
  /** Folder with the raw output of the trials; null if that is not here. */
  folder: string | null;
}

/**
 * Compares every file of a run with its manifest, and the numbers of its trials with each other and with their raw
 * output.
 *
 * @throws {UserError} if there is no run
 */
export async function verifyFolder(named: string, signal: AbortSignal): Promise<Verification> {
  const folder = namedRunFolder(named);
  const unreadable: string[] = [];
  const attempt = <T>(work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (!unreadable.includes(error.message)) unreadable.push(error.message);
      return null;
    }
  };
  const sums = readSums(folder);
  const found = await entriesBelow(folder);
  const entries = found.map(({ name }) => name).filter((name) => name !== sumsFile);
  const others = found.filter(({ isFile }) => !isFile).map(({ name }) => name);
  const present = (await filesOfRun(folder)).filter(isSealable);
  if (!sums && !present.includes(runFiles.run) && !present.includes(runFiles.result)) readRunFolder(folder);
  const result = attempt(() => readStoredResult(folder));
  // A copy that `report` has made of a run in a bucket has no run.json and no raw output, and never had them.
  const isWhole = !result || [...present, ...(sums?.keys() ?? [])].some((name) => !isOfCopy(name));
  const stored = isWhole ? attempt(() => readRunFolder(folder)) : null;
  return verify(
    {
      location: `${folder}/`,
      sums,
      entries,
      others,
      present,
      unreadable,
      folder: isWhole ? folder : null,
      sumOf: (name) => sumOfEntry(folder, name, signal),
      content: result ?? stored,
      stored: result ? stored : null,
      isCopy: !isWhole,
      read: sealedReader((name) => readHere(folder, name), sumsOf(folder)),
    },
    signal,
  );
}

/** Whether the copy of a run in a bucket has this file. */
function isOfCopy(name: string): boolean {
  const [top, , file, ...below] = name.split('/');
  if (top !== runFiles.trials) return name === runFiles.result || name.startsWith(sumsFile) || !isSealable(name);
  return below.length === 0 && (file === trialFiles.trial || path.extname(file ?? '') === '.parquet');
}

/** A link, a pipe or a folder in the place of a file has an empty sum: it is not what was there. */
async function sumOfEntry(folder: string, name: string, signal: AbortSignal): Promise<string | null> {
  try {
    return await sumOfFileIn(folder, name, signal);
  } catch (error) {
    if (error instanceof UserError) return '';
    throw error;
  }
}

/** The same for a run elsewhere. Raw outputs of trials are compared with the manifest there, but not read again. */
export async function verifyAddress(
  readRemote: ReadRemote,
  address: string,
  signal: AbortSignal,
): Promise<Verification> {
  const { content, ...run } = await readRemote(address);
  return verify(
    { ...run, content, entries: [], others: [], present: [], unreadable: [], folder: null, stored: null, isCopy: true },
    signal,
  );
}

async function verify(run: VerifiedRun, signal: AbortSignal): Promise<Verification> {
  const { files, findings: fileFindings } = await verifyFiles(run, signal);
  const { content, location, read, folder, unreadable } = run;
  const trials: Verification['trials'] = { checked: 0, readAgain: 0 };
  const trialFindings: Finding[] = [];
  const record = knownRecordOf(run);
  const recorded = content ? ('result' in content ? content.result.trials : content.trials) : [];
  for (const trial of record ? recorded.filter(({ state }) => state === 'finished') : []) {
    signal.throwIfAborted();
    const own = `${runFiles.trials}/${trial.id}`;
    const [other] = run.others.filter((name) => `${own}/`.startsWith(`${name}/`) || name.startsWith(`${own}/`));
    const rawFolder = folder === null || other !== undefined ? null : path.join(folder, own);
    const found = record && (await verifyTrial(record, trial, { read, location, folder: rawFolder, signal }));
    if (!found) continue;
    trials.checked += 1;
    if (found.isReadAgain) trials.readAgain += 1;
    if (other !== undefined) {
      const message = `${other} is not a file, so pgduet reads nothing through it`;
      trialFindings.push({ id: 'no-file', trial: trial.id, file: other, message });
    }
    trialFindings.push(...found.findings);
  }
  if (record) trialFindings.push(...strayTrials(record, recorded));
  const series = seriesSource(read, location, signal);
  const saved = content && 'result' in content ? content.result : null;
  // A run without a manifest is from an earlier version, whatever its number. Wrong trials lead to a wrong result
  // anyway.
  const mayBeMadeAgain = files.sealed && trialFindings.length === 0;
  const resultCheck =
    saved && record && (run.stored || run.isCopy)
      ? await verifyResult(saved, run.stored, { mayBeMadeAgain, series, location })
      : { findings: [], isMadeAgain: saved && false };
  const planFindings = saved && record && saved.toolVersion === toolVersion ? await wrongPlan(record, run) : [];
  const damages = [...unreadable, ...damaged(run)].map((message): Finding => ({ id: 'file-damaged', message }));
  const findings = [...fileFindings, ...trialFindings, ...damages, ...resultCheck.findings, ...planFindings];
  const { sealed } = files;
  const hashes = hashesOf(run.sums, sealed ? await run.sumOf(sumsFile) : null, record?.experiment.file);
  return {
    location,
    agrees: findings.length === 0,
    hashes,
    findings,
    files,
    trials,
    resultMadeAgain: resultCheck.isMadeAgain,
  };
}

/**
 * The record of the run, with a valid experiment. If it has none, this returns null and adds the reason to
 * `unreadable`.
 */
function knownRecordOf({ content, location, unreadable }: VerifiedRun): Pick<Result, RecordedPart> | null {
  if (!content) return null;
  try {
    return withKnownDefinition('result' in content ? content.result : content.run, location);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    unreadable.push(error.message);
    return null;
  }
}

type RecordedPart = 'experiment' | 'place' | 'variants' | 'toolVersion';

/**
 * Files that are damaged although they agree with the manifest. Those that do not agree with it are reported elsewhere.
 */
function damaged({ content, stored }: VerifiedRun): string[] {
  const files = stored ?? (content && !('result' in content) ? content : null);
  return (files?.unreadable ?? []).flatMap(({ error }) => (error instanceof ChangedFileError ? [] : [error.message]));
}

async function verifyFiles(
  { sums, entries, present, sumOf }: VerifiedRun,
  signal: AbortSignal,
): Promise<Pick<Verification, 'files' | 'findings'>> {
  const files: Verification['files'] = { sealed: sums !== null, agree: 0, open: [], unchecked: [] };
  const findings: Finding[] = [];
  for (const [name, sum] of sums ?? []) {
    signal.throwIfAborted();
    const found = await sumOf(name);
    if (found === sum) files.agree += 1;
    else if (found === null) findings.push({ id: 'file-missing', file: name, message: `${name} is missing` });
    else findings.push({ id: 'file-changed', file: name, message: `${name} was changed` });
  }
  const sealable = new Set(present);
  files.unchecked.push(...entries.filter((name) => !sums?.has(name) && !sealable.has(name)).sort());
  const unnamed = present.filter((name) => !sums?.has(name));
  // A run adds its record to the manifest first, and its result last: it writes the result when everything else is
  // named. So if the result has no line, every other file has one.
  const hasBegun = sums?.has(runFiles.run) === true && !sums.has(runFiles.result);
  const isOpen = hasBegun && (!unnamed.includes(runFiles.result) || unnamed.length === 1);
  if (isOpen) files.open.push(...unnamed);
  else if (sums === null) findings.push({ id: 'no-manifest', message: `there is no ${sumsFile}` });
  else
    findings.push(
      ...unnamed.map((file): Finding => ({ id: 'file-unlisted', file, message: `${file} is not in ${sumsFile}` })),
    );
  return { files, findings };
}
