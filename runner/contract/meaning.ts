/** What an id for scripts means, and what to do about what it names: a sentence or more each. */
export interface Meaning {
  meaning: string;
  remedy: string;
  /** Whether the remedy changes the experiment, so that the same run would end the same way. @default false */
  needsEdit?: true;
}

/** The id of a message that an earlier version of pgduet wrote without one. Each table of meanings that needs it has it. */
const unnamed = 'unnamed';

/** A message with an id, as files of earlier versions have it, too: by its text alone. @param more what it has besides, and has not there */
export function unnamedMessage(value: unknown, more: Readonly<Record<string, null>> = {}): unknown {
  return typeof value === 'string' ? { id: unnamed, message: value, ...more } : value;
}

/** What a table of meanings says of messages without an id. @param what such as `warning` */
export function unnamedMeaning(what: string): Record<typeof unnamed, Meaning> {
  return {
    [unnamed]: {
      meaning: `An earlier version of pgduet wrote the ${what}, without an id.`,
      remedy: 'Read the message.',
    },
  };
}
