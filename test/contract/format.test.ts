import { describe, expect, it } from 'vitest';
import { countInWords, inScale, quantity, scaleFor } from '../../runner/contract/format.ts';
import { changeFormat, ratioFormat } from '../../runner/contract/format-change.ts';

describe('quantity', () => {
  it.each([
    [0.0088, 'latency', '8.80 ms'],
    [0.000_166, 'latency', '0.166 ms'],
    [4431.62133, 'duration', '73.9 min'],
    [51.88, 'duration', '51.9 s'],
    [13_397, 'rate', '13,397'],
    [402_653_184, 'bytes', '384 MiB'],
    [2174, 'bytes', '2,174 B'],
    [0.3569, 'share', '35.7%'],
    [0.99968, 'share', '99.97%'],
    [0.999_999_6, 'share', '99.99996%'],
    [1, 'share', '100%'],
    [1 - 2 ** -53, 'share', '100.0%'],
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

describe('changeFormat of a share', () => {
  it('goes by the number as printed: one point, in whatever way the change was computed', () => {
    const { than, size, list } = changeFormat('share');
    expect([than(0.04 - 0.05), than(0.010_001), size(-0.01), list([0.01])]).toEqual([
      '1 point lower',
      '1 point higher',
      '−1 point',
      '1 point',
    ]);
    expect([than(0.0101), size(0.1), list([0.01, 0.02])]).toEqual(['1.01 points higher', '10 points', '1, 2 points']);
  });
});

describe('inScale', () => {
  it('never reads 0 of what is more, beside values however large', () => {
    const scale = scaleFor('latency', [0.000_121, 0.45]);
    expect([inScale(0.000_121, scale), inScale(0.45, scale), inScale(0, scale)]).toEqual(['0.12', '450', '0']);
    expect(inScale(-0.0004, { unit: '', divisor: 1, decimals: 1 })).toBe('−0.00040');
    // What a sum of floating-point numbers leaves is nothing.
    expect(inScale(0.1 + 0.2 - 0.3, { unit: '', divisor: 1, decimals: 1 })).toBe('0.0');
  });

  it('never reads 100 of a share that is less', () => {
    const scale = scaleFor('share', [1, 0.9997, 0.999]);
    expect([1, 0.9997, 0.999].map((value) => inScale(value, scale))).toEqual(['100.00', '99.97', '99.90']);
    expect(inScale(0.9997, { unit: '%', divisor: 0.01, decimals: 1 })).toBe('99.97');
    expect(scaleFor('share', [0.5, 0.25]).decimals).toBe(1);
  });
});

describe('percents', () => {
  it('carry a true minus sign, and a plus where something grew', () => {
    const words = [0.918, -0.238, 0, -0.0001].map(ratioFormat(null).signed);
    expect(words).toEqual(['+91.8%', '−23.8%', '0.0%', '0.0%']);
  });

  it('are rounder in sentences', () => {
    expect(ratioFormat(null).range(-0.0123, 0.27)).toBe('−1.2% to 27%');
    expect(countInWords(6)).toBe('six');
    expect(countInWords(30)).toBe('30');
  });
});
