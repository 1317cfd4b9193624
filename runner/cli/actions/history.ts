import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { isFolder } from '../../files/look.ts';
import { renderHistory } from '../../report/terminal/history-text.ts';
import { historyOf } from '../../run/history.ts';
import { readResultsOf } from '../../storage/results-folder.ts';
import type { Io } from '../io.ts';
import { describeArguments, outOption } from '../options.ts';
import type { Declare } from '../verb.ts';

/** `pgduet history`: every run of an experiment so far. */
export function history(name: string, { out, json }: { out: string; json?: true }, io: Io): void {
  const folder = folderOf(name, out, io);
  const found = historyOf(path.relative(io.workingFolder, folder) || '.', readResultsOf(folder));
  if (found.runs.length === 0) {
    throw new UserError(`${folder} has no results. Measure first: ${ownCommand} load-run ${name} --local`);
  }
  io.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : renderHistory(found, io));
}

/** The folder of all runs of an experiment, which its name or its path stands for. */
function folderOf(name: string, out: string, { workingFolder }: Io): string {
  const [own, named] = [path.resolve(workingFolder, out, name), path.resolve(workingFolder, name)];
  const folder = [own, named].find(isFolder);
  if (folder !== undefined) return folder;
  throw new UserError(
    `${own} is no folder. Name an experiment that was measured, or the folder of its runs, such as results/quick (see --out).`,
  );
}

export const declare: Declare = (command, io) => {
  describeArguments(command, 'name of the experiment, or folder of its runs, such as results/quick');
  command
    .addOption(outOption())
    .option('--json', 'print the runs as JSON')
    .action((name: string, options: { out: string; json?: true }) => history(name, options, io));
};
