import type { ToolRun } from '../../../contract/tool-output.ts';

/** A statement with its average time in milliseconds and, from 15 on, its failures and retries. */
const statementLine = /^\s+(\d+\.\d{3})(?:\s+\d+){0,2}\s+(\S.*)$/;
/** Statements inside of these run only in some transactions, or have no time of their own. */
const unsteady = /^\\(if|elif|startpipeline)\b/;

/**
 * The part of the average latency that passed in no SQL statement (--report-per-command): in meta-commands such as
 * \sleep, and in the client. With a rate, the latency includes how far behind its schedule a transaction began; this
 * part does not.
 *
 * @returns null if the output does not say how long each statement took in each transaction: retries repeat statements,
 *   and failures end them early
 */
export function betweenStatements(stdout: string, run: ToolRun): number | null {
  const { latencyAverageSeconds, lagAverageSeconds, transactions, scripts } = run;
  if (latencyAverageSeconds === null || !transactions || run.failedTransactions || run.retries) return null;
  const sections = stdout.split(/^(?: - )?statement latencies in milliseconds.*:$/m).slice(1);
  if (sections.length === 0 || sections.length !== scripts.length) return null;
  let seconds = 0;
  for (const [index, section] of sections.entries()) {
    const statements = statementsIn(section);
    if (statements.length === 0 || statements.some(({ text }) => unsteady.test(text))) return null;
    const inSql = statements.filter(({ text }) => !text.startsWith('\\'));
    const share = (scripts[index]?.transactions ?? 0) / transactions;
    seconds += (share * inSql.reduce((sum, { milliseconds }) => sum + milliseconds, 0)) / 1000;
  }
  return Math.max(0, latencyAverageSeconds - (lagAverageSeconds ?? 0) - seconds);
}

function statementsIn(section: string): { milliseconds: number; text: string }[] {
  const found: { milliseconds: number; text: string }[] = [];
  for (const line of section.split('\n').slice(1)) {
    const [, milliseconds, text] = statementLine.exec(line) ?? [];
    if (milliseconds === undefined || text === undefined) break;
    found.push({ milliseconds: Number(milliseconds), text });
  }
  return found;
}
