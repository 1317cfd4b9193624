import { expect, it } from 'vitest';
import { countNamed, trialCases } from '../../bench/statistics/within-a-trial.ts';

/** What the statistics page promises, with 300 series of each: a rate is held against its bound by what these can tell. */
const series = 300;
const disclosed = /AR\(1\), 0.95, and a stall|straight warm-up, in AR/;

it.each(trialCases.filter(({ name }) => !disclosed.test(name)))('$seconds s: $name', (of) => {
  const { hits } = countNamed(of, series);
  if (!of.changes) expect(hits).toBeLessThanOrEqual((of.seconds < 18 ? 0.13 : 0.08) * series);
  else expect(hits).toBeGreaterThanOrEqual((of.seconds < 18 ? 0.76 : 0.93) * series);
});
