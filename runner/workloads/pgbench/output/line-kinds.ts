import { parseProgressLine } from './parse-progress.ts';
import { type SummaryLine, summaryLine } from './summary-lines.ts';

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
  namesClient:
    /^(client \d+ (script \d+ )?aborted |pgbench: (error|fatal): (?!could not create connection).*\bclient \d)/,
  /** With any other error pgbench ends at once. */
  fatal: /^pgbench: (error|fatal): /,
  /**
   * pgbench prints English in every locale. These stay when something translates its summary afterwards. Lists of
   * scripts begin otherwise.
   */
  translated: /^(?!-- |\s|(?:tpcb-like|simple-update|select-only): )[^:：]+[:：] ?<?builtin: |^tps = [\d.,]+ \(/,
} as const;

/** What a line is in an output of pgbench. */
export type Kind = SummaryLine | { of: keyof typeof kinds | 'progress' } | { of: 'nothing' };

export function kindOfLine(text: string): Kind {
  if (text === '') return { of: 'nothing' };
  if (parseProgressLine(text) !== null) return { of: 'progress' };
  const known = summaryLine(text);
  if (known) return known;
  for (const [of, pattern] of Object.entries(kinds)) {
    if (pattern.test(text)) return { of: of as keyof typeof kinds };
  }
  return { of: 'nothing' };
}
