/** Steps that can reset any database before a trial. A tool has further steps for its own tables. */
export const generalResetSteps = ['restore', 'restart', 'prewarm', 'vacuum', 'checkpoint'] as const;

/** Names of the steps in words, for the report. */
export const resetWords: Readonly<Record<(typeof generalResetSteps)[number], string>> = {
  restore: 'restore what was loaded',
  restart: 'restart the server',
  prewarm: 'read everything into its cache',
  vacuum: 'vacuum',
  checkpoint: 'checkpoint',
};
