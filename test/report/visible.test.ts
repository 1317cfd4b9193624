import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visible, visibleInColour } from '../../runner/report/media/wrap.ts';

test('what would act on a terminal is shown as its escape', () => {
  expect(visible('\u001b]0;title\u0007 a\rb \u202egnp.exe \u009b2J')).toBe(
    String.raw`\u001b]0;title\u0007 a\u000db \u202egnp.exe \u009b2J`,
  );
  expect(visible('é µ – 漢字 😀\ttab\n')).toBe('é µ – 漢字 😀\ttab\n');
});

test('colours stay where they are wanted, and only they', () => {
  expect(visibleInColour('\u001b[1m\u001b[31mbad\u001b[39m\u001b[22m \u001b[2J')).toBe(
    '\u001b[1m\u001b[31mbad\u001b[39m\u001b[22m \\u001b[2J',
  );
});

test('JSON keeps its meaning, whatever its texts hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(JSON.parse(visible(JSON.stringify({ [text]: text }, null, 2)))).toEqual({ [text]: text });
    }),
  );
});
