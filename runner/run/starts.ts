import { awaitsResume } from '../analysis/claims.ts';
import { controlsOf } from '../experiment/groups.ts';
import { UserError } from '../contract/errors.ts';
import type { Result } from '../contract/result.ts';
import type { LedgerEntry, Outcome, Start } from '../contract/start.ts';
import type { PlannedStart, StartsSoFar } from '../experiment/plan/start.ts';
import type { Question } from '../experiment/question.ts';
import { appendTo, type Ledger, type LedgerFiles, type NewEntry } from '../storage/ledger.ts';

/** A run as a start of its question, with the ledger in which it is noted. */
export interface StartToKeep {
  question: Question;
  files: LedgerFiles;
  /** A new start, or the one that is resumed. */
  start: PlannedStart | Start;
  /** Blocks that are planned. */
  blocks: number;
}

/** Notes in the ledger what a start does, before anybody can see what came of it. */
export interface StartKeeper {
  start: Start;
  blockBegun(block: number, attempt: number): Promise<void>;
  blockEnded(block: number, attempt: number): Promise<void>;
  /** @param found what the run found; null if it has no result */
  ended(found: { result: Result | null; interrupted: boolean }): Promise<void>;
}

/** What a ledger says of the starts so far. A start keeps what it has spent, however it ended, unless it never began a block. */
export function startsIn(entries: readonly LedgerEntry[]): StartsSoFar {
  const opened = entries.filter((entry) => entry.kind === 'opened');
  const begun = opened.flatMap(({ start, share }) => {
    const outcome = outcomeIn(entries, start);
    return outcome === null ? [] : [{ outcome, share }];
  });
  return {
    opened: opened.length,
    outcomes: begun.map(({ outcome }) => outcome),
    spent: begun.reduce((sum, { share }) => sum + share, 0),
  };
}

/** null if it ended before its first block. */
function outcomeIn(entries: readonly LedgerEntry[], start: number): Outcome | null {
  const own = entries.filter((entry) => entry.start === start);
  const { outcome = 'unknown' } = own.findLast((entry) => entry.kind === 'ended') ?? {};
  const isBegun = own.some(({ kind }) => kind === 'block-begun');
  if (isBegun && (outcome === 'unknown' || outcome === 'not-begun')) return 'cut-off';
  return outcome === 'not-begun' ? null : outcome;
}

/**
 * Opens a start in the ledger, before anything is created; a resumed one is in it already, unless somebody removed it.
 *
 * @param warn receives once why the ledger cannot be written any more; the run continues
 * @throws {UserError} if another start began since this one was planned, or if no ledger can be written
 */
export async function keepStart(
  { question, files, start: planned, blocks }: StartToKeep,
  { now, warn }: { now: () => Date; warn: (text: string) => void },
): Promise<StartKeeper> {
  let warned = false;
  let isBegun = false;
  const append = async (entry: NewEntry, accept?: (ledger: Ledger) => void): Promise<string> => {
    const { hash, problems } = await appendTo(files, entry, accept);
    if (problems.length > 0 && !warned) {
      warned = true;
      warn(`The list of runs of this question could not be written: ${problems.join(' ')}`);
    }
    return hash;
  };
  /** A full disk must not end a run that has measured something. */
  const note = async (entry: NewEntry): Promise<void> => {
    await append(entry).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      if (!warned) warn(error.message);
      warned = true;
    });
  };
  const at = (): string => now().toISOString();
  const number = planned.number;
  const resumed = 'head' in planned ? planned : null;
  const start: Start = resumed ?? {
    question: question.id,
    number,
    level: planned.level,
    others: planned.others,
    head: await append(
      {
        kind: 'opened',
        at: at(),
        start: number,
        blocks,
        level: planned.level,
        share: 'share' in planned ? planned.share : 0,
        asks: question.asks,
      },
      ({ entries }) => requireNext(entries, number),
    ),
  };
  return {
    start,
    async blockBegun(block, attempt) {
      isBegun = true;
      await note({ kind: 'block-begun', at: at(), start: number, block, attempt });
    },
    blockEnded: (block, attempt) => note({ kind: 'block-ended', at: at(), start: number, block, attempt }),
    async ended({ result, interrupted }) {
      const outcome = result ? outcomeOf(result) : interrupted ? 'cut-off' : 'failed';
      await note({ kind: 'ended', at: at(), start: number, outcome: isBegun || resumed ? outcome : 'not-begun' });
    },
  };
}

function requireNext(entries: readonly LedgerEntry[], number: number): void {
  if (startsIn(entries).opened === number - 1) return;
  throw new UserError('Another run of this question began at the same moment. Start again.');
}

/** What became of a start that has a result. */
function outcomeOf(result: Result): Outcome {
  if (awaitsResume(result)) return 'cut-off';
  const controls = controlsOf(result.experiment.definition);
  const primary = result.comparisons.filter((one) => one.primary);
  const judged = primary.filter(({ candidate }) => !controls.includes(candidate.variant));
  const verdicts = [...new Set((judged.length > 0 ? judged : primary).map(({ verdict }) => verdict))];
  const [only] = verdicts;
  if (only === undefined) return 'failed';
  return verdicts.length > 1 ? 'mixed' : (only ?? 'withheld');
}
