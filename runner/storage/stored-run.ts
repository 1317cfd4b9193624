import { UserError } from '../contract/errors.ts';
import { type CarriedOutStep, carriedOutStepSchema, runFile } from '../contract/result.ts';
import { inOrderOfEnd, laterFile, type Trial, trialFile } from '../contract/trial.ts';
import { DamagedFileError, parseVersioned } from '../contract/versioned-file.ts';
import { withLater } from './with-later.ts';
import type { StoredRun, UnreadableTrial } from './run-store.ts';

/** The text of a file, with its path or address for messages. */
export interface FileText {
  source: string;
  text: string;
}

/** The files of a run, from wherever they are kept. */
export interface RunTexts {
  run: FileText;
  /** Empty if no step was carried out yet. */
  steps: FileText;
  trials: readonly TrialTexts[];
}

export interface TrialTexts {
  /** Folder of the trial below `trials/`. */
  id: string;
  trial: FileText;
  /** What was found later, in the order of the names of the files. */
  later: readonly FileText[];
}

/**
 * Of a damaged trial only its id is read: the others still tell what they measured.
 *
 * @throws {UserError} with the file if another one is damaged, or not where it belongs
 */
export function parseStoredRun({ run, steps, trials }: RunTexts): StoredRun {
  const unreadable: UnreadableTrial[] = [];
  const readable = trials.flatMap((texts) => {
    try {
      return [parseTrial(texts)];
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      unreadable.push({ id: texts.id, error });
      return [];
    }
  });
  return {
    run: parseVersioned(run.text, run.source, runFile),
    steps: parseSteps(steps),
    trials: inOrderOfEnd(readable),
    unreadable,
    foundLater: new Set(trials.filter(({ later }) => later.length > 0).map(({ id }) => id)),
  };
}

function parseTrial({ id, trial: { text, source }, later }: TrialTexts): Trial {
  const trial = parseVersioned(text, source, trialFile);
  if (trial.id !== id) {
    throw new UserError(`${source} is that of the trial ${trial.id}. Put the file of ${id} there again.`);
  }
  return withLater(
    trial,
    later.map((one) => parseVersioned(one.text, one.source, laterFile)),
  );
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
