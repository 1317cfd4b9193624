/**
 * How a report, and what a run prints, name a command to copy. Whoever copies it may have no pgduet there: without this
 * option, npx would run whatever somebody has registered under that name.
 */
export const ownCommand = 'npx --no-install pgduet';
