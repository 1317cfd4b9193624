import { expect, it } from 'vitest';
import { settingNumber } from '../../runner/postgres/setting-units.ts';

it.each([
  ['16384 (8kB)', 2 ** 27],
  ['96 (MB)', 96 * 2 ** 20],
  ['300 (s)', 300],
  ['5 (min)', 300],
  ['200 (ms)', 0.2],
  ['-1 (s)', -1],
  ['0.9', 0.9],
  ['on', null],
  ['3 (lightyears)', null],
  [undefined, null],
])('the setting %s is %s in bytes, seconds or as it is', (setting, expected) => {
  expect(settingNumber(setting)).toBe(expected);
});
