import { isMap, isScalar, type Node, type Scalar } from 'yaml';
import { experimentSchema } from '../schema.ts';
import { meantWord } from './problems.ts';

/** Keys of a file that an experiment has no longer: they are folded into its variants before anything is judged. */
const folded = ['common', 'matrix', 'profiles'];
const knownKeys = [...Object.keys(experimentSchema.shape), ...folded];

/**
 * Corrects misspelt keys at the top of a file that would otherwise not be folded: without `common`, every variant would
 * seem to miss what the file says for all of them.
 *
 * @returns the keys that were corrected, and what they are now; every one of them is a mistake of the file
 */
export function coerceKeys(root: Node | null): { key: Scalar; word: string; meant: string }[] {
  if (!isMap(root)) return [];
  const written = new Set(root.items.map(({ key }) => (isScalar(key) ? key.value : null)));
  const missing = knownKeys.filter((known) => !written.has(known));
  const corrected: { key: Scalar; word: string; meant: string }[] = [];
  for (const { key } of root.items) {
    if (!isScalar(key) || typeof key.value !== 'string' || knownKeys.includes(key.value)) continue;
    const word = key.value;
    const meant = meantWord(word, missing);
    if (meant === null || !folded.includes(meant) || corrected.some((other) => other.meant === meant)) continue;
    key.value = meant;
    corrected.push({ key, word, meant });
  }
  return corrected;
}
