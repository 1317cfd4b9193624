import type { RegisterCommand } from '../io.ts';

/** `pgduet parse FILE...`: reads any old outputs of pgbench and HammerDB into an array of runs. */
export const registerParse: RegisterCommand = (program, io) => {
  program
    .command('parse')
    .description('Read outputs of pgbench, of versions 9.5 to 18, and of HammerDB into runs.')
    .argument('<file...>', 'outputs of pgbench or HammerDB, each of one run or several; "-" for standard input')
    .option('--json', 'the runs as one JSON array')
    .addHelpText(
      'after',
      '\nA run that was aborted or killed, or whose output lacks lines, has complete: false, and its problems; the exit code is then 1. A file that is empty, cut off, contradicts itself, or is another tool’s is refused with exit code 2.',
    )
    .action(async (files: string[], options: { json?: true }) =>
      (await import('../actions/parse.ts')).parse(files, options, io),
    );
};
