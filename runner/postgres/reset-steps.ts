/** What can be done to any database before a trial. A tool has more, for its own tables. */
export const generalResetSteps = ['restore', 'vacuum', 'checkpoint'] as const;

/** In words for the report. */
export const resetWords: Readonly<Record<(typeof generalResetSteps)[number], string>> = {
  restore: 'restore what was loaded',
  vacuum: 'vacuum',
  checkpoint: 'checkpoint',
};
