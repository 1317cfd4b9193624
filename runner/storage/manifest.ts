import path from 'node:path';
import { stateOf } from '../files/look.ts';
import type { KnownFolder } from '../files/open-folder.ts';
import { readSums, type Sums, sumsFile, sumsText, sumOfFileIn } from '../files/sums.ts';
import { writeFileIn } from '../files/write.ts';

/** The manifest of a run that is being written. */
export interface Manifest {
  /** Names files with their present content. Each is read once, part by part. */
  seal(names: readonly string[]): Promise<void>;
  /**
   * Writes files that may be in the manifest already, and names them. Whoever is killed in between leaves them out of it: a
   * file that is not in the manifest does not count, but it is not taken for one that somebody has changed either.
   */
  replace(names: readonly string[], write: () => Promise<void>): Promise<void>;
  /** Takes files out of it that are to be removed or written again. */
  unseal(names: readonly string[]): Promise<void>;
}

export function manifestOf(folder: KnownFolder): Manifest {
  const read = (): Sums | null => readSums(folder.path);
  const write = (sums: Sums): Promise<void> => writeFileIn(folder, sumsFile, sumsText(sums));
  async function unseal(names: readonly string[]): Promise<void> {
    const sums = new Map(read());
    const taken = names.filter((name) => sums.delete(name));
    if (taken.length > 0) await write(sums);
  }
  async function seal(names: readonly string[]): Promise<void> {
    const sums = new Map(read());
    for (const name of names) {
      const sum = await sumOfFileIn(folder, name);
      if (sum !== null) sums.set(name, sum);
    }
    await write(sums);
  }
  return {
    seal,
    unseal,
    async replace(names, work) {
      await unseal(names);
      await work();
      await seal(names);
    },
  };
}

/** Reads the manifest of a folder, which may grow in the meantime; what has not changed is not read again. */
export function sumsOf(folder: string): () => Sums | null {
  let known: { state: string; sums: Sums | null } | null = null;
  return () => {
    const state = stateOf(path.join(folder, sumsFile));
    if (known?.state !== state) known = { state, sums: readSums(folder) };
    return known.sums;
  };
}
