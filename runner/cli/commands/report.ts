import type { ReportOptions } from '../actions/report.ts';
import { failOnOption } from '../fail-on.ts';
import type { RegisterCommand } from '../io.ts';
import { unverifiedOption } from '../options.ts';

/** `report DIR`: makes the reports of a result again, for example after an update of pgduet. */
export const registerReport: RegisterCommand = (program, io) => {
  program
    .command('report')
    .description('Write report.html, report.md and pairs.csv of a run again.')
    .argument('<dir>', 'folder of a run, such as results/quick/latest, or an s3:// address')
    .addOption(failOnOption())
    .addOption(unverifiedOption())
    .option('--json', 'print the paths as JSON')
    .action(async (folder: string, options: ReportOptions) =>
      (await import('../actions/report.ts')).report(folder, options, io),
    );
};
