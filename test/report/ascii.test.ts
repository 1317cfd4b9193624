import { describe, expect, it } from 'vitest';
import { inAscii, isAsciiOnly } from '../../runner/report/media/ascii.ts';
import { renderEnd } from '../../runner/report/terminal/end.ts';
import { goldenResults } from '../golden/golden-results.ts';

describe('a terminal without UTF-8', () => {
  it.each([
    [{ LANG: 'C' }, true],
    [{ LANG: 'en_GB.ISO-8859-1' }, true],
    [{ LC_ALL: 'C', LANG: 'en_GB.UTF-8' }, true],
    [{ LC_ALL: '', LANG: 'C.utf8' }, false],
    [{ LANG: 'en_GB.UTF-8' }, false],
    [{}, false],
  ])('is known by its locale: %j', (environment, expected) => expect(isAsciiOnly(environment)).toBe(expected));

  it.each(Object.entries(goldenResults))('can show the end of a run: %s', async (_, make) => {
    const { result } = (await make?.()) ?? {};
    if (!result) throw new Error('no such result');
    // eslint-disable-next-line no-control-regex -- all of ASCII
    expect(inAscii(renderEnd(result, { columns: 80, colour: false }))).toMatch(/^[\x00-\x7f]*$/);
  });
});
