import { describe, expect, it } from 'vitest';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const plain = { columns: 80, colour: false };

describe('renderTerminal', () => {
  it('says the answer before the table', async () => {
    const text = renderTerminal(await sampleResult(), plain);
    const answer = text.indexOf('In this start, with-log-volume is 31 % faster than without-log-volume.');
    expect(answer).toBeGreaterThan(-1);
    expect(answer).toBeLessThan(text.indexOf('latency p99.9 (ms)'));
  });

  it.each([60, 80, 100, 120])('stays within %d columns', async (columns) => {
    const text = renderTerminal(await sampleResult(), { columns, colour: false });
    const longest = Math.max(...text.split('\n').map(({ length }) => length));
    expect(longest).toBeLessThanOrEqual(columns);
  });

  it.each([60, 80, 120])('has room for interval and verdict in %d columns', async (columns) => {
    const text = renderTerminal(await sampleResult(), { columns, colour: false });
    expect(text).toMatch(/^TPS .* 29 to 32 % +better$/m);
  });

  it('colours only when told to', async () => {
    const escape = '\u001b[';
    expect(renderTerminal(await sampleResult(), plain)).not.toContain(escape);
    expect(renderTerminal(await sampleResult(), { columns: 80, colour: true })).toContain(escape);
  });

  it('shows a table for each candidate', async () => {
    const text = renderTerminal(await sampleResult({ variants: { base: 1, quick: 1.2, slow: 0.8 } }), plain);
    expect(text).toContain('quick against base');
    expect(text).toContain('slow against base');
  });

  it('tells of a trial that failed and of the plan that is not complete', async () => {
    const result = await sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } });
    const text = renderTerminal(result, { columns: 200, colour: false });
    expect(text.replace(/\s+/g, ' ')).toContain('connection to server was lost');
    expect(text).toContain('! One of 12 planned trials has no result: 1 failed.');
  });

  it('claims nothing from two blocks', async () => {
    const text = renderTerminal(await sampleResult({ blocks: 2 }), { ...plain, columns: 120 });
    expect(text).toContain(
      'No verdict in this start, only a description: 2 blocks were compared, but a verdict takes 6.',
    );
    expect(text).toContain('with-log-volume was 3');
  });
});
