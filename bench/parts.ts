/** A part of the bench. */
export interface Part {
  run: (...words: string[]) => Promise<void> | void;
  /** Whether words of its own may follow its name. @default false */
  takesWords?: boolean;
}

/**
 * The parts that a command line names, in its order, each with its own words.
 *
 * @param known by name
 * @returns what is wrong, if a word is neither a part nor belongs to one, or if there is no part
 */
export function partsOf(
  words: readonly string[],
  known: Readonly<Record<string, Part>>,
): { run: Part['run']; words: string[] }[] | string {
  const asked: (Part & { words: string[] })[] = [];
  for (const word of words) {
    const part = Object.hasOwn(known, word) ? known[word] : undefined;
    const last = asked.at(-1);
    if (part) asked.push({ ...part, words: [] });
    else if (last?.takesWords) last.words.push(word);
    else return `There is no bench "${word}"; there are: ${Object.keys(known).join(', ')}.`;
  }
  if (asked.length > 0) return asked;
  return `Name what to measure: ${Object.keys(known).join(', ')}.`;
}
