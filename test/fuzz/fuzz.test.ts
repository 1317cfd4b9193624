import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';

describe('parse and digest', () => {
  it('crash on nothing, and call no figure complete that is from a damaged file', { timeout: 600_000 }, async () => {
    const { violations, ...report } = await fuzz(20_000, 20_261_122);
    expect(violations.slice(0, 5)).toEqual([]);
    // Each of the three happens often, so that none of the checks is idle.
    for (const outcome of ['refused', 'incomplete', 'valid'] as const) expect(report[outcome]).toBeGreaterThan(1000);
    expect(process.resourceUsage().maxRSS / 1024).toBeLessThan(1024);
  });
});
