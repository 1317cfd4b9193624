import { describe, expect, it } from 'vitest';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { shortAnswer } from '../../runner/report/answer/short-answer.ts';
import { reported } from '../../runner/report/reported.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const plain = { columns: 80, colour: false };

describe('renderTerminal', () => {
  it('says the answer before the table', async () => {
    const result = await sampleResult();
    const text = renderTerminal(result, { ...plain, columns: Infinity });
    const answer = text.indexOf(shortAnswer(reported(result)).headline);
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
    expect(text).toMatch(/^TPS .* 29% to 32% +better$/m);
  });

  it('colours only when told to', async () => {
    const escape = '\u001b[';
    expect(renderTerminal(await sampleResult(), plain)).not.toContain(escape);
    expect(renderTerminal(await sampleResult(), { columns: 80, colour: true })).toContain(escape);
  });
});
