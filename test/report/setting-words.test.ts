import { describe, expect, it } from 'vitest';
import { settingWords } from '../../runner/report/sections/settings.ts';

describe('settingWords', () => {
  it.each([
    ['16384 (8kB)', '128 MiB'],
    ['16324847 (8kB)', '125 GiB'],
    ['16777216 (B)', '16 MiB'],
    ['512 (8kB)', '4 MiB'],
    ['30 (s)', '30 s'],
    ['200 (ms)', '200 ms'],
    ['900 (s)', '15 min'],
    ['0 (us)', '0'],
    ['-1 (kB)', '-1 (kB)'],
    ['on', 'on'],
    ['100', '100'],
    ['a (b)', 'a (b)'],
    ['7 (furlong)', '7 (furlong)'],
  ])('shows %s as %s', (value, words) => {
    expect(settingWords(value)).toBe(words);
  });
});
