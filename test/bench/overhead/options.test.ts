import { describe, expect, it } from 'vitest';
import { parseOverheadOptions } from '../../../bench/overhead/options.ts';

describe('the arguments of the bench of the overhead', () => {
  it('have defaults', () => {
    expect(parseOverheadOptions([])).toEqual({ seconds: 10, rounds: 60, script: 'select-only', withoutLog: false });
    expect(parseOverheadOptions(['--seconds', '2', '--rounds=8', '--without-log'])).toMatchObject({
      seconds: 2,
      rounds: 8,
      withoutLog: true,
    });
  });

  it.each([
    [['--rounds', '7'], '--rounds is 7; expected a whole number of at least 8.'],
    [['--seconds', '0.5'], '--seconds is 0.5; expected a whole number of at least 1.'],
    [['--script', 'mine'], '--script is mine; expected select-only, simple-update, tpcb-like.'],
    [['--second', '2'], "Unknown option '--second'"],
  ])('are refused: %j', (args, message) => {
    expect(() => parseOverheadOptions(args)).toThrow(message);
  });
});
