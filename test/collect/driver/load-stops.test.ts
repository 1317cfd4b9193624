import { expect, it } from 'vitest';
import { longestStop } from '../../../runner/collect/driver/load-generator.ts';
import { isStopped } from '../../../runner/collect/driver/proc.ts';

it('a process is stopped by a signal or a debugger, whatever its name holds', () => {
  const stat = (state: string): string => `12 (a) S (b) ${state} 1 12 12 0 -1`;
  expect(['T', 't', 'S', 'R', 'D', 'Z'].filter((state) => isStopped(stat(state)))).toEqual(['T', 't']);
});

it('the longest stop is one row of looks', () => {
  const looks = (...states: boolean[]) => states.map((value, index) => ({ at: 1000 + 250 * index, value }));
  expect(longestStop(looks(false, true, false, true, true, true))).toBe(0.75);
  expect(longestStop(looks(false, false))).toBe(0);
  expect(longestStop([])).toBe(0);
});
