import { describe, expect, it } from 'vitest';
import {
  countInWords,
  percentRange,
  quantity,
  scaleFor,
  inScale,
  signedPercent,
} from '../../runner/report/words/quantities.ts';

describe('quantity', () => {
  it.each([
    [0.0088, 'latency', '8.80 ms'],
    [0.000_166, 'latency', '0.166 ms'],
    [4431.62133, 'duration', '73.9 min'],
    [51.88, 'duration', '51.9 s'],
    [13_397, 'rate', '13,397'],
    [402_653_184, 'bytes', '384 MiB'],
    [2174, 'bytes', '2,174 B'],
    [0.3569, 'share', '35.7 %'],
    [0, 'count', '0'],
    [null, 'latency', '–'],
  ] as const)('%s as %s reads %s', (value, kind, text) => {
    expect(quantity(value, kind)).toBe(text);
  });

  it('keeps the precision of the smaller of two values', () => {
    const scale = scaleFor('latency', [0.01015, 0.00762]);
    expect([inScale(0.01015, scale), inScale(0.00762, scale)]).toEqual(['10.15', '7.62']);
  });
});

describe('percents', () => {
  it('carry a true minus sign, and a plus where something grew', () => {
    expect([signedPercent(0.918), signedPercent(-0.238), signedPercent(0), signedPercent(-0.0001)]).toEqual([
      '+91.8 %',
      '−23.8 %',
      '0.0 %',
      '0.0 %',
    ]);
  });

  it('are rounder in sentences', () => {
    expect(percentRange(-0.0123, 0.27)).toBe('−1.2 to 27 %');
    expect(countInWords(6)).toBe('six');
    expect(countInWords(30)).toBe('30');
  });
});
