import { expect, it } from 'vitest';
import { sampleResult } from '../../helpers/samples/sample-result.ts';
import { protocolWords } from '../../../runner/report/sections/method.ts';

it('a report says during how many trials a page showed the run, and nothing of it if there was none', async () => {
  const result = await sampleResult();
  expect(new Map(protocolWords(result)).get('Live')).toBeUndefined();
  const trials = result.trials.map((trial, index) => (index < 4 ? { ...trial, live: true } : trial));
  expect(new Map(protocolWords({ ...result, trials })).get('Live')).toBe(
    'a live page was served during 4 of 12 trials; pgduet built reports between trials only',
  );
});
