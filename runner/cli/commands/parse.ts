import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { renderRuns } from '../../report/terminal/runs-table.ts';
import { parseOutput } from '../../workloads/pgbench/output/parse-output.ts';
import type { RegisterCommand } from '../io.ts';

/** `pgduet parse FILE...`: what anyone's old pgbench outputs say, as an array of runs. */
export const registerParse: RegisterCommand = (program, io) => {
  program
    .command('parse')
    .description('Read pgbench outputs, of versions 9.5 to 18, into runs.')
    .argument('<file...>', 'outputs of pgbench; "-" for standard input')
    .option('--json', 'the runs as one JSON array')
    .addHelpText(
      'after',
      '\nA run that was aborted or killed has complete: false, and its problems. A file that is empty, truncated, not pgbench’s\nor not in English is refused with exit code 2.',
    )
    .action((files: string[], options: { json?: true }) => {
      const runs = files.flatMap((file) =>
        parseOutput(readText(file, io.workingFolder), file).map((run) => ({ file, run })),
      );
      if (options.json) {
        io.stdout.write(
          `${JSON.stringify(
            runs.map(({ run }) => run),
            null,
            2,
          )}\n`,
        );
        return;
      }
      io.stdout.write(`${renderRuns(runs, { columns: io.columns, colour: io.colour })}\n`);
    });
};

/** @throws {UserError} where the file cannot be read. */
function readText(file: string, folder: string): string {
  try {
    return readFileSync(file === '-' ? 0 : path.resolve(folder, file), 'utf8');
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
