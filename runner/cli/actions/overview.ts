import path from 'node:path';
import { createColors } from 'picocolors';
import { orEmpty, UserError } from '../../contract/errors.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import { type ListedExperiment, listExperiments } from '../../experiment/file/list.ts';
import { foldersIn, isFolder } from '../../files/look.ts';
import { renderTable } from '../../report/media/terminal-table.ts';
import { commandLines } from '../../report/terminal/command-lines.ts';
import { hanging, wrap } from '../../report/media/wrap.ts';
import { latestRunRecord } from '../../storage/results-folder.ts';
import type { Io } from '../io.ts';
import { experimentsTable, noExperiments } from './list.ts';

/** With the line of the shell, a usual terminal of 24 lines shows all of it. */
const maxLines = 23;
/** It answers in minutes, on any machine. */
const easiest = 'quick';
/** Of the answers, which may be many and long. */
const maxAnswerLines = 5;

/** What the bare command shows, in one screen: the latest result, what to do next, and the experiments. */
export async function overview(io: Io): Promise<void> {
  const { bold } = createColors(io.colour);
  const found = listExperiments(io.workingFolder);
  const latest = latestRun(path.join(io.workingFolder, 'results'));
  const above = [
    ...wrap(`pgduet ${toolVersion}: which PostgreSQL configuration is faster, and how sure can you be?`, io.columns),
    '',
    ...(latest ? [bold('Latest result'), ...(await resultLines(latest, io)), ''] : []),
    bold('Next'),
    ...next(latest === null && found.some(({ name }) => name === easiest), io.columns),
    '',
  ];
  io.stdout.write(`${[...above, ...experiments(found, io, maxLines - above.length, bold)].join('\n')}\n`);
}

interface LatestRun {
  /** Of the experiment, below results/. */
  name: string;
  startedAt: string;
}

/** The run that started last; null if there is none. Folders that hold something else are passed over. */
function latestRun(results: string): LatestRun | null {
  const runs = orEmpty(() => (isFolder(results) ? foldersIn(results) : [])).flatMap((name) =>
    orEmpty((): LatestRun[] => {
      const record = latestRunRecord(path.join(results, name));
      return record ? [{ name, startedAt: record.startedAt }] : [];
    }),
  );
  return runs.sort((one, other) => one.startedAt.localeCompare(other.startedAt)).at(-1) ?? null;
}

/** The question of a run with its answers, and where the rest is. A run that is not complete shows no figures. */
async function resultLines({ name, startedAt }: LatestRun, io: Io): Promise<string[]> {
  const { awaitsResume } = await import('../../analysis/claims.ts');
  const { readStoredResult } = await import('../../storage/run-folder.ts');
  const { openFolder } = await import('../../analysis/open-result.ts');
  const { reported } = await import('../../report/reported.ts');
  const { shortAnswer } = await import('../../report/answer/short-answer.ts');
  const shown = `results/${name}/latest`;
  const folder = path.join(io.workingFolder, shown);
  const when = `${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  const lines = (...paragraphs: string[]): string[] => paragraphs.flatMap((text) => hanging('  ', text, io.columns));
  try {
    const result = readStoredResult(folder) && (await openFolder(folder, { signal: io.signal })).result;
    if (!result || awaitsResume(result)) {
      return lines(
        `${name}, ${when}: still running, or interrupted.`,
        `To see partial results: ${ownCommand} report ${shown}`,
      );
    }
    const all = lines(shortAnswer(reported(result)).headline);
    const first = all.length <= maxAnswerLines ? all : [...all.slice(0, maxAnswerLines - 1), '  …'];
    return [
      ...lines(`${name}, ${when}: ${result.experiment.question}`),
      ...first,
      ...lines(`${ownCommand} report ${shown} --open`),
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return lines(`${name}, ${when}: this result cannot be shown.`, `To find out why: ${ownCommand} verify ${shown}`);
  }
}

/** @param isFirst whether the experiment that is best to begin with is still to be run */
function next(isFirst: boolean, columns: number): string[] {
  const commands = [
    ...(isFirst ? [[`load-run ${easiest} --local`, 'get a first answer here']] : []),
    ['try --set NAME=OLD,NEW', 'compare two settings'],
    ['init NAME', 'create your own experiment'],
    ['plan NAME', 'show trials, time and price'],
    ['load-run NAME --local', 'measure it on this machine'],
    ['--help', 'list all commands'],
  ].map(([words = '', does = '']) => [`${ownCommand} ${words}`, does] as const);
  return commandLines(commands, columns);
}

/** A line for each experiment if there is room for them, otherwise their names, or how many there are. */
function experiments(
  found: readonly ListedExperiment[],
  io: Io,
  room: number,
  bold: (text: string) => string,
): string[] {
  if (found.length === 0) return wrap(noExperiments, io.columns);
  const [, , ...rows] = renderTable(experimentsTable(found, io.columns - 2), { ...io, columns: Infinity }).split('\n');
  const lines = rows.map((row) => `  ${row}`);
  const title = `${bold('Experiments')} (${ownCommand} list)`;
  if (found.length < room) return [title, ...lines];
  const names = hanging('  ', found.map(({ name }) => name).join(', '), io.columns);
  return names.length < room ? [title, ...names] : [`${found.length} experiments: ${ownCommand} list`];
}
