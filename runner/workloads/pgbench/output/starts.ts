import type { Line } from '../../surroundings.ts';
import { isProgress } from './parse-progress.ts';
import { isFinalSpeed, severalScripts, summaryLine, type SummaryLine } from './summary-lines.ts';

/** Where in a line one of pgbench's own lines begins, so that what others put before it can be told from it. */
export const ownLine =
  /(?<!\w)(?: - (?:weight: |\d+ transactions|number of|latency )|transaction type: |scaling factor: \d|query mode: [a-z]|number of [a-z ]+: \d|maximum number of tries: \d|total number of retries: \d|duration: \d+ s|latency (?:average|stddev)[ :]|rate limit schedule lag: |(?:initial|average) connection time = |tps = |pgbench \(\d|pgbench: (?:error|fatal): |progress: \d|starting vacuum\.\.\.|SQL script \d+: |client \d+ (?:script \d+ )?aborted)/;

/**
 * pgbench (16.1), pgbench (14.3, server 11.2-YB-2.1), pgbench (17.0 - Percona Server). A version is short: without a
 * limit, the pattern would try a long line in as many ways as it has characters.
 */
export const versionLine = /^pgbench \((\d[^(),]{0,60}?)(?: \([^)]*\))?(?:, server (\d[^(),]{0,60}?)(?: \(.*)?)?\)/;

/** What pgbench prints besides its progress and its summary. The first pattern that matches a line counts. */
const kinds = {
  version: versionLine,
  vacuum: /^starting vacuum\.\.\./,
  isAborted: /^(pgbench: (error|fatal): )?Run was aborted; /,
  noConnection: /^pgbench: (error|fatal): (could not connect|connection to )/,
  ofClient: /^(client \d+ (script \d+ )?aborted |pgbench: (error|fatal): (?!could not create connection).*\bclient \d)/,
  /** With any other error pgbench ends at once. */
  fatal: /^pgbench: (error|fatal): /,
  /** pgbench prints English in every locale. These stay when something translates its summary afterwards. */
  translated: /^[^:：]+[:：] ?<?builtin: |^tps = [\d.,]+ \(/,
} as const;

type Kind = SummaryLine | { of: keyof typeof kinds | 'progress' } | { of: 'nothing' };

function kindOf(text: string): Kind {
  if (text === '') return { of: 'nothing' };
  if (isProgress(text)) return { of: 'progress' };
  const known = summaryLine(text);
  if (known) return known;
  for (const [of, pattern] of Object.entries(kinds)) {
    if (pattern.test(text)) return { of: of as keyof typeof kinds };
  }
  return { of: 'nothing' };
}

/**
 * Splits an output by the starts of pgbench in it. A start begins with the first line that pgbench prints, or where a
 * line cannot follow those before, such as a second version, or a line of the summary after a later one: whoever kept
 * the output may have left out the first lines.
 *
 * Errors may be in another file than the summary, and stand before or after it. After it, pgbench prints only that the
 * run was aborted; so any other error is of the next start, unless this line follows without a summary.
 */
export function* startsIn(lines: Iterable<Line>): Generator<Start> {
  let before: Start | null = null;
  let current = new Start();
  for (const line of lines) {
    const kind = kindOf(line.text);
    if (!current.canTake(kind)) {
      before = yield* settle(before, current);
      current = new Start();
    }
    current.take(line, kind);
  }
  const last = yield* settle(before, current);
  if (last.isOfPgbench) yield last;
}

/** Yields a start when nothing more can belong to it. @returns the start to which further lines may belong */
function* settle(before: Start | null, current: Start): Generator<Start, Start> {
  if (before !== null && (current.isRestOf(before) || !current.isOfPgbench)) {
    before.add(current);
    return before;
  }
  if (before?.isOfPgbench === true) yield before;
  return current;
}

/** The lines of one start of pgbench, and how far it got. */
export class Start {
  /** Without lines of progress: there may be hundreds of thousands, and none of them is part of the result. */
  readonly lines: Line[] = [];
  #first: number | null = null;
  #last = 0;
  #hasVersion = false;
  /** Whether it printed something between its version and its summary. */
  #isOnItsWay = false;
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
  isRestOf(before: Start): boolean {
    return this.#isAborted && !this.#hasVersion && !this.hasReport && before.hasReport && !before.#isAborted;
  }

  add(rest: Start): void {
    this.lines.push(...rest.lines);
    if (rest.#isAborted) this.#last = rest.#last;
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
      case 'ofClient':
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
    if (kind.of !== 'progress') this.lines.push(line);
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
        break;
      case 'ofClient':
        // What could not connect was this client.
        this.#failed = 'no';
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
