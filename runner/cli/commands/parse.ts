import type { RegisterCommand } from '../io.ts';

/** `pgduet parse FILE...`: reads any old pgbench outputs into an array of runs. */
export const registerParse: RegisterCommand = (program, io) => {
  program
    .command('parse')
    .description('Read pgbench outputs, of versions 9.5 to 18, into runs.')
    .argument('<file...>', 'outputs of pgbench; "-" for standard input')
    .option('--json', 'the runs as one JSON array')
    .addHelpText(
      'after',
      '\nA run that was aborted or killed has complete: false, and its problems. A file that is empty, truncated, not pgbench’s or not in English is refused with exit code 2.',
    )
    .action(async (files: string[], options: { json?: true }) =>
      (await import('../actions/parse.ts')).parse(files, options, io),
    );
};
