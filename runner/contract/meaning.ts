/** What an id for scripts means, and what to do about what it names: a sentence or more each. */
export interface Meaning {
  meaning: string;
  remedy: string;
}
