import type { RegisterCommand } from '../io.ts';

/** `pgduet parse FILE...`: reads any old outputs of pgbench and HammerDB into an array of runs. */
export const registerParse: RegisterCommand = (program, io) => {
  program
    .command('parse')
    .description('List the runs in outputs of pgbench (9.5 to 18) or HammerDB.')
    .argument('<file...>', 'outputs of pgbench or HammerDB, with one run or several each; "-" for standard input')
    .option('--json', 'print the runs as a JSON array')
    .addHelpText(
      'after',
      '\nExit code 1: a run was aborted or killed, or lines of its output are missing. Such a run has complete: false, and a list of its problems.\nExit code 2: a file is empty, cut off, contradicts itself, or comes from another tool.',
    )
    .action(async (files: string[], options: { json?: true }) =>
      (await import('../actions/parse.ts')).parse(files, options, io),
    );
};
