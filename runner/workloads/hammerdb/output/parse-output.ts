import { UserError } from '../../../contract/errors.ts';
import type { Run, RunScript } from '../../../contract/tool-output.ts';
import { answersIn, readTiming, type Timing } from './answers.ts';
import { linesOf, says } from './lines.ts';
import { problemsOf } from './problems.ts';

export function isHammerdbOutput(text: string): boolean {
  return /^HammerDB CLI v|^Vuser 1 created MONITOR|^Vuser \d+:TEST RESULT :/m.test(text);
}

/**
 * Reads every timed run of an output of HammerDB's command line. Runs that were cut off, or in which any user failed, are not
 * complete.
 *
 * @param source name of the text in messages
 * @throws {UserError} if there is no timed run
 */
export function parseOutput(text: string, source: string): Run[] {
  const lines = linesOf(text);
  const starts = lines.flatMap((line, index) => (says.runBegins.test(line) ? [index] : []));
  if (starts.length === 0) {
    throw new UserError(
      `${source} holds no timed run of HammerDB: no virtual users were created after loadscript. Give the output of hammerdbcli with pg_driver timed.`,
    );
  }
  const clientVersion = firstOf(lines, says.version);
  return starts.map((start, index) => ({
    ...readRun(lines.slice(start, starts[index + 1])),
    clientVersion: clientVersion === null ? null : `HammerDB ${clientVersion}`,
  }));
}

/** One run, from the line that creates its first user. */
function readRun(lines: readonly string[]): Run {
  const created = new Set(lines.flatMap((line) => says.created.exec(line)?.[1] ?? []));
  const [, nopm, tpm] = firstMatch(lines, says.result) ?? [];
  const minutes = numberOf(firstOf(lines, says.minutes));
  const answers = answersIn(lines);
  const timing = readTiming(answers.get('timing'));
  const problems = problemsOf(lines, {
    users: created.size - 1,
    timing: answers.has('timing') ? timing : null,
  });
  return {
    tool: 'hammerdb',
    clientVersion: null,
    serverVersion: firstOf(lines, says.serverVersion),
    clients: created.size - 1,
    threads: null,
    scale: numberOf(firstOf(lines, says.warehouses)),
    scripts: Object.entries(timing).map(asScript),
    transactions: null,
    failedTransactions: null,
    skippedTransactions: null,
    retriedTransactions: null,
    durationSeconds: minutes === null ? null : minutes * 60,
    tps: null,
    latencyAverageSeconds: null,
    latencyStddevSeconds: null,
    nopm: numberOf(nopm ?? null),
    tpm: numberOf(tpm ?? null),
    complete: problems.length === 0,
    problems,
  };
}

function asScript([name, { calls, avg_ms, p50_ms, p95_ms, p99_ms }]: [string, Timing[string]]): RunScript {
  return {
    name: name.toLowerCase(),
    weight: null,
    transactions: calls,
    tps: null,
    latencyAverageSeconds: inSeconds(avg_ms),
    latencySeconds: { p50: inSeconds(p50_ms), p95: inSeconds(p95_ms), p99: inSeconds(p99_ms) },
  };
}

/** HammerDB has whole microseconds. */
function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1e6;
}

function firstMatch(lines: readonly string[], pattern: RegExp): RegExpExecArray | null {
  for (const line of lines) {
    const match = pattern.exec(line);
    if (match) return match;
  }
  return null;
}

function firstOf(lines: readonly string[], pattern: RegExp): string | null {
  return firstMatch(lines, pattern)?.[1] ?? null;
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
