import type { Declare } from '../verb.ts';

/** `help VERB`. Commander's own takes any word for a verb, and then shows the whole help. */
export const declare: Declare = (command, _io, { program, load }) => {
  command.action(async (name: string | undefined) => {
    const verb = name === undefined ? program : await load(name);
    if (verb) verb.outputHelp();
    // The same error as if the word had been typed alone.
    else await program.parseAsync([name ?? ''], { from: 'user' });
  });
};
