import { distance } from 'fastest-levenshtein';

/** The known word that a misspelt one most likely means, put into a phrase; empty if none is near. */
export function nearest(word: string, known: readonly string[], phrase: (word: string) => string): string {
  const [best] = nearWords(word, known);
  return best === undefined ? '' : phrase(best);
}

/** Whether the word is the other one with a slip or two: so near that hardly anything else was meant. */
export function isSlipOf(word: string, other: string): boolean {
  return distance(word.toLowerCase(), other.toLowerCase()) <= 0.4 * word.length;
}

/**
 * Known words that contain the word, that it abbreviates (`sync_commit`), or that differ from it by edits of at most
 * about a third of its length. Nearest first.
 */
export function nearWords(word: string, known: readonly string[]): string[] {
  const lower = word.toLowerCase();
  const limit = Math.min(Math.ceil(word.length / 3) + 1, word.length - 1);
  return known
    .map((candidate) => {
      const edits = distance(lower, candidate.toLowerCase());
      const contains = lower.length >= 3 && candidate.toLowerCase().includes(lower);
      return { candidate, rank: contains || abbreviates(lower, candidate) ? Math.min(edits, limit) : edits };
    })
    .filter(({ rank }) => rank <= limit)
    .sort((a, b) => a.rank - b.rank || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}

/** Whether each part of the word, of which there are two or more, begins the same part of the other one. */
function abbreviates(word: string, full: string): boolean {
  const [parts, fullParts] = [word.split('_'), full.toLowerCase().split('_')];
  return (
    parts.length > 1 &&
    parts.length === fullParts.length &&
    parts.every((part, index) => part.length >= 2 && fullParts[index]?.startsWith(part))
  );
}
