import { Argument } from 'commander';
import type { Shell } from '../actions/completion.ts';
import type { RegisterCommand } from '../io.ts';

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** `pgduet completion SHELL`, and the hidden verb that its script runs at every press of Tab. */
export const registerCompletion: RegisterCommand = (program, io) => {
  program
    .command('completion')
    .description('Print a script with which your shell completes verbs, options, experiments and profiles.')
    .addArgument(new Argument('<shell>').choices(shells))
    .option('--json', 'print the script as a JSON string')
    .addHelpText('after', howToLoad)
    .action(async (shell: Shell, options: { json?: true }) =>
      (await import('../actions/completion.ts')).printScript(shell, options, io),
    );
  program
    .command('completion-server', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async () => (await import('../actions/completion.ts')).complete(program, io));
};

/** `pgduet help VERB`. Commander's own takes any word for a verb, and then shows the whole help. */
export const registerHelp: RegisterCommand = (program) => {
  program
    .helpCommand(false)
    .command('help')
    .description('Show the options of a command.')
    .argument('[command]')
    .action(async (name: string | undefined) => {
      const verb = name === undefined ? program : program.commands.find((one) => one.name() === name);
      if (verb) verb.outputHelp();
      // The same error as if the word had been typed alone.
      else await program.parseAsync([name ?? ''], { from: 'user' });
    });
};

const howToLoad = `
Add one line to the file that your shell reads when it starts:
  bash, in ~/.bashrc:
      source <(pgduet completion bash)
  zsh, in ~/.zshrc after compinit:
      source <(pgduet completion zsh)
  fish, in ~/.config/fish/config.fish:
      pgduet completion fish | source

Tab completes the command pgduet, so PATH must lead to it. If you installed pgduet in a project, add this line first:
      PATH="$PATH:/path/to/project/node_modules/.bin"`;
