import type { Line } from '../../surroundings.ts';
import { type Kind, kindOfLine } from './line-kinds.ts';
import { ProgressSum } from './progress-sum.ts';
import { isFinalSpeed, severalScripts } from './summary-lines.ts';

/**
 * Splits an output by the starts of pgbench in it. A start begins with the first line that pgbench prints, or where a
 * line cannot follow those before, such as a second version, or a line of the summary after a later one: whoever kept
 * the output may have left out the first lines.
 *
 * Errors may be in another file than the summary, and stand before or after it. After it, pgbench prints only that the
 * run was aborted; so any other error is of the next start, unless this line follows without a summary. Progress that
 * stands alone behind a summary is of a run whose summary lacks it.
 */
export function* startsIn(lines: Iterable<Line>): Generator<StartedRun> {
  let before: StartedRun | null = null;
  let current = new StartedRun();
  const owed = { progress: 0 };
  for (const line of lines) {
    const kind = kindOfLine(line.text);
    if (!current.canTake(kind)) {
      before = yield* settle(before, current, owed);
      current = new StartedRun();
    }
    current.take(line, kind);
  }
  const last = yield* settle(before, current, owed);
  if (last.isOfPgbench) yield last;
}

/**
 * Yields a start when nothing more can belong to it.
 *
 * @param owed counts the summaries whose progress may still follow
 * @returns the start to which further lines may belong
 */
function* settle(
  before: StartedRun | null,
  current: StartedRun,
  owed: { progress: number },
): Generator<StartedRun, StartedRun> {
  const isProgress = owed.progress > 0 && current.isOnlyProgress && before?.hasReport === true;
  if (before !== null && (isProgress || current.isRestOf(before) || !current.isOfPgbench)) {
    before.add(current, owed.progress === 1);
    if (current.hasProgress) owed.progress = Math.max(0, owed.progress - 1);
    return before;
  }
  if (current.hasReport) {
    if (!current.hasProgress) owed.progress += 1;
    else if (!current.isProgressInOrder && owed.progress > 0) current.progress = null;
    else owed.progress = 0;
  }
  if (before?.isOfPgbench === true) yield before;
  return current;
}

/** The lines of one start of pgbench, and how far it got. */
export class StartedRun {
  /** Without lines of progress: there may be hundreds of thousands, and none of them is part of the result. */
  readonly lines: Line[] = [];
  /** What its lines of progress add up to; null if they may be those of another run. */
  progress: ProgressSum | null = new ProgressSum();
  /** The last line of the text if that ends within a figure, of which digits may be missing. */
  unended: string | null = null;
  #first: number | null = null;
  #last = 0;
  #hasVersion = false;
  /** Whether it printed something between its version and its summary. */
  #isOnItsWay = false;
  #hasClientError = false;
  /** Whether its version stands before what it printed on its way. */
  isProgressInOrder = false;
  #failed: 'no' | 'noConnection' | 'fatal' = 'no';
  #isAborted = false;
  #isTranslated = false;
  /** The place of the latest line of the summary, and how many there were. */
  #place = -1;
  #summaryLines = 0;
  #hasResult = false;
  #isEnded = false;
  #hasType = false;
  #isOfOneScript = false;
  #script = 0;
  #placeInScript: number | null = null;

  /** The first and the last of pgbench's lines. */
  get place(): { fromLine: number; toLine: number } {
    return { fromLine: this.#first ?? 1, toLine: this.#last };
  }

  get hasSummary(): boolean {
    return this.#summaryLines > 0;
  }

  get isTranslated(): boolean {
    return this.#isTranslated && !this.hasSummary;
  }

  /** Whether it is more than what somebody noted in the words of pgbench, such as the number of clients. */
  get isOfPgbench(): boolean {
    return (
      this.#hasVersion ||
      this.#isOnItsWay ||
      this.#isAborted ||
      this.#isTranslated ||
      this.#failed !== 'no' ||
      this.#hasResult ||
      this.#script > 0 ||
      this.#summaryLines > 2
    );
  }

  /** Whether lines are missing after those of its summary. */
  get isWithoutEnd(): boolean {
    const lacksScripts = this.#hasType && !this.#isOfOneScript && this.#script === 0;
    return this.hasSummary && !this.#isAborted && (!this.#isEnded || lacksScripts);
  }

  /** Whether lines are missing before those of its summary. */
  get isWithoutHead(): boolean {
    return this.hasReport && !this.#hasType;
  }

  /** Whether these are the errors of a start whose summary stands before them. */
  isRestOf(before: StartedRun): boolean {
    return this.#isAborted && !this.#hasVersion && !this.hasReport && before.hasReport && !before.#isAborted;
  }

  /** Whether pgbench reported its progress, or the vacuum before it. */
  get hasProgress(): boolean {
    return this.#isOnItsWay && !this.#hasClientError;
  }

  /** Whether it is what pgbench prints to stderr of a run without errors. */
  get isOnlyProgress(): boolean {
    const hasMore = this.#hasVersion || this.hasReport || this.#isAborted || this.#isTranslated;
    return this.hasProgress && this.#failed === 'no' && !hasMore;
  }

  /** @param isOnly whether progress in the rest can be of no other run */
  add(rest: StartedRun, isOnly: boolean): void {
    this.lines.push(...rest.lines);
    if (rest.isOfPgbench) this.#last = rest.#last;
    if (rest.hasProgress) this.progress = isOnly && !this.hasProgress ? rest.progress : null;
    this.#isAborted ||= rest.#isAborted;
  }

  /** Whether pgbench may print this line after those that the start has. */
  canTake(kind: Kind): boolean {
    const isFirst = !this.hasReport && this.#failed === 'no';
    switch (kind.of) {
      case 'version':
        return isFirst && !this.#hasVersion;
      case 'vacuum':
        return isFirst && !this.#isAborted && !this.#isOnItsWay;
      case 'progress':
        return isFirst && !this.#isAborted;
      case 'namesClient':
      case 'fatal':
        return !this.hasReport && !this.#isAborted;
      case 'noConnection':
        return isFirst && !this.#isAborted;
      case 'run':
        return this.#failed === 'no' && !this.#isOver && kind.place > this.#place;
      case 'title':
        return this.#failed === 'no' && !this.#isOfOneScript && kind.place === this.#script + 1;
      case 'script':
        return this.#placeInScript === null || kind.place > this.#placeInScript;
      default:
        return true;
    }
  }

  take(line: Line, kind: Kind): void {
    const isFigure = kind.of === 'run' || (kind.of === 'script' && this.#placeInScript !== null);
    if (kind.of === 'progress') this.progress?.take(line.text);
    else if (isFigure && line.isUnended && /\d$/.test(line.text)) this.unended = line.text;
    else this.lines.push(line);
    if (kind.of === 'nothing') {
      if (line.text !== '') this.#placeInScript = null;
    } else {
      this.#first ??= line.number;
      this.#last = line.number;
      this.#note(kind);
    }
  }

  #note(kind: Exclude<Kind, { of: 'nothing' }>): void {
    switch (kind.of) {
      case 'version':
        this.#hasVersion = true;
        this.isProgressInOrder = !this.#isOnItsWay;
        break;
      case 'namesClient':
        // What could not connect was this client.
        this.#failed = 'no';
        this.#hasClientError = true;
        this.#isOnItsWay = true;
        break;
      case 'vacuum':
      case 'progress':
        this.#isOnItsWay = true;
        break;
      case 'noConnection':
      case 'fatal':
        this.#failed = kind.of;
        break;
      case 'run':
        this.#place = kind.place;
        this.#summaryLines += 1;
        this.#hasResult ||= results.has(kind.name);
        this.#isEnded ||= isFinalSpeed(kind.name);
        this.#hasType ||= kind.name === 'type';
        this.#isOfOneScript ||= kind.name === 'type' && kind.captured[0] !== severalScripts;
        break;
      case 'title':
        this.#script = kind.place;
        this.#placeInScript = -1;
        break;
      case 'script':
        if (this.#placeInScript !== null) this.#placeInScript = kind.place;
        break;
      case 'isAborted':
        this.#isAborted = true;
        this.#isEnded ||= this.hasReport;
        break;
      case 'translated':
        this.#isTranslated = true;
    }
  }

  get hasReport(): boolean {
    return this.hasSummary || this.#script > 0;
  }

  /** Whether no further line of the summary of the run may follow. */
  get #isOver(): boolean {
    return this.#isEnded || this.#script > 0;
  }
}

/** Lines that somebody who only notes the conditions of a run does not write. */
const results = new Set(['type', 'processed', 'tpsIncluding', 'tpsExcluding', 'tps']);
