import { gzipSync } from 'node:zlib';
import { type Recorded, recorded } from './corpus.ts';
import type { LogFile } from './judge-logs.ts';
import { mutations } from './mutations.ts';
import { type Random, randomOf } from './random.ts';

export interface Mutant {
  kind: Recorded['kind'];
  name: string;
  how: string[];
  files: LogFile[];
  /** Whether it is also read into a table. */
  inWords: boolean;
}

const everything = recorded();

/** The same seed and number make the same mutant. Numbers count from 1. */
export function makeMutant(seed: number, number: number): Mutant {
  // Neighbouring seeds would make generators that resemble each other.
  const random = randomOf((seed + Math.imul(number, 0x9e3779b1)) | 0);
  const kind = random.oneOf(['output', 'logs'] as const);
  const sameKind = everything.filter((item) => item.kind === kind);
  const { name, files } = random.oneOf(sameKind);
  const other = (): Buffer => random.oneOf(random.oneOf(random.below(8) ? sameKind : everything).files);
  const at = random.below(files.length);
  const gzipped = kind === 'logs' && random.below(5) === 0;
  const inside = !gzipped || random.below(2) === 0;
  const how: string[] = [];
  let file = files[at] ?? Buffer.alloc(0);
  if (gzipped && !inside) file = gzipSync(file);
  for (let left = random.oneOf([1, 1, 1, 2, 3]); left > 0; left -= 1) {
    const mutation = random.oneOf(Object.keys(mutations));
    how.push(gzipped && !inside ? `${mutation}, gzipped` : mutation);
    file = mutations[mutation]?.(file, random, other()) ?? file;
  }
  if (gzipped && inside) file = gzipSync(file);
  const mutated = files.map((bytes, index) => (index === at ? { bytes: file, gzipped } : { bytes, gzipped: false }));
  const inWords = random.below(4) === 0;
  return { kind, name, how, inWords, files: kind === 'logs' ? inDisorder(mutated, random, other, how) : mutated };
}

function inDisorder(files: LogFile[], random: Random, other: () => Buffer, how: string[]): LogFile[] {
  const what = random.below(40);
  if (what > 2) return files;
  how.push(['a file twice', 'a file of another run', 'a file left out'][what] ?? '');
  if (what === 2) return files.slice(1);
  return [...files, what === 0 ? random.oneOf(files) : { bytes: other(), gzipped: false }];
}
