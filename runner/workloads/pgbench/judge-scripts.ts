import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { readTextWhole } from '../../files/read.ts';
import { withClient } from '../../process/client.ts';
import { hashLargeFiles } from '../loaded-with.ts';
import { runArguments, scriptPaths } from './arguments.ts';
import type { PgbenchRun, PgbenchScript } from './schema.ts';
import { errorLines, lineOfCommand, lineOfOpenIf } from './script-mistakes.ts';

/** No server can listen there: it is not a folder, so it cannot hold a socket. */
const nowhere = '/dev/null';

/**
 * At each command with a backslash, pgbench 15 counts the lines before it: 20,000 of them take it two seconds, and 200,000
 * minutes. So they would at each start of a trial.
 */
const secondsToRead = 60;

/**
 * Lets pgbench read options and scripts as in a trial. It does so before it connects, runs nothing of them, and finds nothing to
 * connect to. It alone judges its language.
 *
 * @throws {UserError} with what pgbench says of each script that it refuses: file and line, and often the command with a mark
 */
export async function requireReadable(
  programs: string,
  {
    workload,
    scriptFolder,
    signal,
    seconds = secondsToRead,
  }: { workload: PgbenchRun; scriptFolder: string; signal: AbortSignal; seconds?: number },
): Promise<void> {
  const files = workload.scripts.filter((script) => 'file' in script);
  // This refuses a pipe, on which pgbench would wait.
  await hashLargeFiles(
    files.map(({ file }) => file),
    scriptFolder,
    signal,
  );
  const program = path.join(programs, 'pgbench');
  const how = { length: workload, folder: scriptFolder, scriptFolder, seed: 1 };
  const overdue = AbortSignal.timeout(seconds * 1000);
  const refusals = withClient({ reads: scriptPaths({ scripts: files }, how), signal }, async ({ pathOf, run }) => {
    async function refusalOf(scripts: readonly FileScript[]): Promise<string[]> {
      const options = runArguments({ ...workload, scripts: [...scripts] }, { ...how, pathOf });
      // With a user: by default it has the name of ours, who in a container may have none.
      const { stderr } = await run([program, ...options, `host=${nowhere} user=nobody`], {
        signal: AbortSignal.any([signal, overdue]),
      });
      const printed = errorLines(stderr);
      return printed[0]?.startsWith(`connection to server on socket "${nowhere}/`)
        ? []
        : [asNamed(printed, scripts, scriptFolder)];
    }
    const first = await refusalOf(files);
    if (first.length === 0 || files.length < 2) return first;
    // It stops at the first script that it refuses, so each is read alone.
    const each: string[] = [];
    for (const script of files) each.push(...(await refusalOf([{ ...script, weight: 1 }])));
    return each.length > 0 ? each : first;
  });
  const found = await refusals.catch((error: unknown) => {
    if (!overdue.aborted || signal.aborted) throw error;
    throw new UserError(
      `pgbench has not read the scripts of this workload within ${seconds} s. Shorten them: it takes as long at each start.`,
    );
  });
  const [first, ...others] = new Set(found);
  if (first === undefined) return;
  throw new UserError([
    `pgbench rejects the scripts or options of this workload: ${first}`,
    ...others,
    `Correct them, or use another version of pgbench: this is ${program}.`,
  ]);
}

type FileScript = Extract<PgbenchScript, { file: string }>;

/** What pgbench says of the conditions in a script: with the number of a command, from 1, or past the last one. */
const inCondition = /^condition error in script ".*" command (\d+): (?=(\\if without)?)/;

/** More of a command than people write would hide what is said of it. */
const maxShown = { lines: 12, characters: 200 };

/** What pgbench says, with files as the experiment names them, and with a line where pgbench counts commands. */
function asNamed([first = '', ...command]: readonly string[], scripts: readonly FileScript[], folder: string): string {
  const [script] = scripts;
  const message = first.replace(inCondition, (whole, number, isOpen) => {
    if (!script || scripts.length > 1) return whole;
    const text = readTextWhole(path.resolve(folder, script.file));
    const line = isOpen === undefined ? lineOfCommand(text, Number(number) - 1) : lineOfOpenIf(text);
    return line === null ? `${script.file}: ` : `${script.file}:${line}: `;
  });
  const isShort = command.length <= maxShown.lines && command.every(({ length }) => length <= maxShown.characters);
  return scripts.reduce(
    (text, { file }) => text.replaceAll(path.resolve(folder, file), file),
    [message, ...(isShort ? command : [])].join('\n'),
  );
}
