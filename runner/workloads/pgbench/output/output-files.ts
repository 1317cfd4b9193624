import path from 'node:path';
import { readTextWhole } from '../../../files/read.ts';
import type { OutputFiles, Printed } from '../../../process/output-files.ts';
import { shortenOutput } from '../../../process/shorten-output.ts';
import { isAbort } from './parse-output.ts';
import { ownProgressIn } from './parse-progress.ts';
import type { ToolRun } from '../../../contract/tool-output.ts';

/** From this rate on, about a thousand short lines, printing takes time that the load could use. */
const noisyBytesPerSecond = 64 * 1024;

/** The files in a trial's folder for what pgbench prints. @param name `pgbench` for that of the trial itself */
export function outputFilesIn(folder: string, name: string): OutputFiles {
  return { stdout: path.join(folder, `${name}.stdout.log`), stderr: path.join(folder, `${name}.stderr.log`) };
}

/** Shortens the files of a noisy load, but keeps what says how the run went. */
export async function shortenOutputs({ stdout, stderr }: OutputFiles): Promise<void> {
  await shortenOutput(stdout, keptPart);
  await shortenOutput(stderr, keptPart);
}

/** What the files hold, after they were shortened. */
export function readOutputs(files: OutputFiles): { stdout: string; stderr: string } {
  return { stdout: readTextWhole(files.stdout), stderr: readTextWhole(files.stderr) };
}

/** The warning about a load that prints much. */
export function noiseWarnings(bytesPerSecond: number): string[] {
  if (bytesPerSecond < noisyBytesPerSecond) return [];
  const shown = `${Math.round(bytesPerSecond / 1024).toLocaleString('en')} KiB`;
  return [
    `The load printed ${shown} a second (pgbench.stdout.log, pgbench.stderr.log), which takes up its clients’ time: remove what prints, such as RAISE or \\shell, or raise client_min_messages.`,
  ];
}

/** The warning about a load that destroys what pgbench prints. */
export function emptiedWarnings({ stdout, stderr }: Printed['emptied']): string[] {
  const files = [...(stdout > 0 ? ['pgbench.stdout.log'] : []), ...(stderr > 0 ? ['pgbench.stderr.log'] : [])];
  if (files.length === 0) return [];
  return [
    `The load emptied ${files.join(' and ')} while it ran, and what pgbench had printed there is lost: let \\shell and \\setshell write with >> instead of >, or to another file.`,
  ];
}

/** The part of a line that says how the run went; null if there is none. */
function keptPart(line: string): string | null {
  return ownProgressIn(line) ?? (isAbort(line) ? line : null);
}

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
