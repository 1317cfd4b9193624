import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';
import { repeats } from '../helpers/repeats.ts';
import { outcomes } from './reading.ts';

// CI and each release read 20,000 of the same mutants (npm run lab -- fuzz).
const count = repeats(2000, 0.25);

describe('parse and digest', () => {
  it(
    'crash on nothing, hang on nothing, stay small, and call no figure complete that is from a damaged file',
    { timeout: 300_000 },
    async () => {
      const { violations, ...report } = await fuzz({ count, seed: 20_261_122, atOnce: 2 });
      expect(violations.slice(0, 5)).toEqual([]);
      expect(report.read).toBe(count);
      // Each of the three happens often, so that none of the checks is idle.
      for (const outcome of outcomes) expect(report[outcome]).toBeGreaterThan(count / 20);
    },
  );
});

describe('the watch over readers', () => {
  const faulty = {
    seed: 1,
    count: 5,
    atOnce: 1,
    bounds: { seconds: 3, memoryBytes: 512 * 2 ** 20 },
    reader: path.join(import.meta.dirname, 'faulty-reader.ts'),
  };

  it('names the mutant at which a reader hangs, dies or grows, and goes on with another reader', async () => {
    const { violations, read, valid } = await fuzz(faulty);
    expect(violations.map(({ number, what }) => [number, what])).toEqual([
      [2, 'it takes more than 3 s'],
      [3, expect.stringMatching(/^the reader ended with exit code 1: [^]*a fault of the reader/)],
      [4, 'it needs more than 512 MiB of memory'],
    ]);
    expect(read).toBe(5);
    expect(valid).toBeGreaterThanOrEqual(2);
  });

  it('ends readers, also one that hangs, when it is interrupted', async () => {
    const { violations, read } = await fuzz({
      ...faulty,
      first: 2,
      bounds: { ...faulty.bounds, seconds: 300 },
      signal: AbortSignal.timeout(2000),
    });
    expect({ violations, read }).toEqual({ violations: [], read: 0 });
  });
});
