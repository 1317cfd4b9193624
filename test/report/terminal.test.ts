import { describe, expect, it } from 'vitest';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { sampleResult } from '../helpers/sample-result.ts';

const plain = { columns: 80, colour: false };

describe('renderTerminal', () => {
  it('says the answer before the table', () => {
    const text = renderTerminal(sampleResult(), plain);
    const answer = text.indexOf('with-log-volume is 31 % faster than without-log-volume.');
    expect(answer).toBeGreaterThan(-1);
    expect(answer).toBeLessThan(text.indexOf('latency p99.9 (ms)'));
  });

  it.each([80, 100, 120])('stays within %d columns', (columns) => {
    const longest = Math.max(
      ...renderTerminal(sampleResult(), { columns, colour: false })
        .split('\n')
        .map(({ length }) => length),
    );
    expect(longest).toBeLessThanOrEqual(columns);
  });

  it('has room for the verdict only in a wide terminal', () => {
    expect(renderTerminal(sampleResult(), plain)).not.toMatch(/^TPS .* better$/m);
    expect(renderTerminal(sampleResult(), { columns: 120, colour: false })).toMatch(/^TPS .* better$/m);
  });

  it('colours only when told to', () => {
    const escape = '\u001b[';
    expect(renderTerminal(sampleResult(), plain)).not.toContain(escape);
    expect(renderTerminal(sampleResult(), { columns: 80, colour: true })).toContain(escape);
  });

  it('shows a table for each candidate', () => {
    const text = renderTerminal(sampleResult({ variants: { base: 1, quick: 1.2, slow: 0.8 } }), plain);
    expect(text).toContain('quick against base');
    expect(text).toContain('slow against base');
  });

  it('tells of a trial that failed and of the plan that is not complete', () => {
    const text = renderTerminal(sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } }), {
      columns: 200,
      colour: false,
    });
    expect(text.replace(/\s+/g, ' ')).toContain('connection to server was lost');
    expect(text).toContain('! Trials of the plan are missing');
  });

  it('claims nothing from two blocks', () => {
    const text = renderTerminal(sampleResult({ blocks: 2 }), plain);
    expect(text).toContain('Descriptive: fewer than six blocks, nothing is claimed.');
    expect(text).toContain('with-log-volume was 3');
  });
});
