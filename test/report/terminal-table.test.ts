import { describe, expect, it } from 'vitest';
import { renderAnswers, renderComparisonTable } from '../../runner/report/terminal/terminal-table.ts';
import type { Comparison } from '../../runner/contract/result.ts';

const options = { columns: 80, colour: false };

/** Study 1's published numbers: one run a side. */
function published(metric: string, without: number, withLogVolume: number): Comparison {
  const better = metric === 'tps' ? 'higher' : 'lower';
  return {
    metric,
    unit: better === 'higher' ? '1/s' : 's',
    better,
    primary: metric === 'tps',
    method: 'one run each',
    scope: 'these-instances',
    baseline: { variant: 'withoutdlv', median: without, n: 1 },
    candidate: { variant: 'dlv', median: withLogVolume, n: 1 },
    change: withLogVolume / without - 1,
    speedup: (better === 'higher' ? withLogVolume / without : without / withLogVolume) - 1,
    interval: null,
    verdict: metric === 'tps' ? 'descriptive' : null,
  };
}

const study = [
  published('wal.syncTime', 4431.62133, 2186.910078),
  published('wal.writeTime', 56.656796, 51.882614),
  published('latency.average', 0.0088, 0.0045),
  published('tps', 6984, 13_397),
  published('runtime', 77 * 60, 40 * 60),
];

describe('renderComparisonTable', () => {
  it('shows the published study as it was published, in its order', () => {
    const lines = renderComparisonTable(study, options).split('\n').slice(-5);
    expect(lines.map((line) => line.split(/\s{2,}/).slice(0, 5))).toEqual([
      ['runtime (min)', '77.0', '40.0', '−48.1 %', '+92.5 %'],
      ['TPS', '6,984', '13,397', '+91.8 %', '+91.8 %'],
      ['latency average (ms)', '8.80', '4.50', '−48.9 %', '+95.6 %'],
      ['WAL write time (s)', '56.7', '51.9', '−8.4 %', '+9.2 %'],
      ['WAL sync time (min)', '73.9', '36.4', '−50.7 %', '+102.6 %'],
    ]);
  });

  it('sheds columns rather than break its lines', () => {
    for (const columns of [60, 70, 80, 100]) {
      const lines = renderComparisonTable(study, { columns, colour: false }).split('\n');
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    }
  });

  it('shows a change of shares in points', () => {
    const waits = {
      ...published('waits.LWLock:WALWrite', 0.3569, 0.1297),
      unit: 'share',
      change: -0.2272,
      speedup: null,
    };
    expect(renderComparisonTable([waits], options)).toMatch(/LWLock:WALWrite \(%\) +35\.7 +13\.0 +−22\.7 points +– /);
  });

  it('shows metrics of later versions under their own names', () => {
    expect(renderComparisonTable([published('joules', 1, 2)], options)).toContain('joules (s)');
  });
});

describe('renderAnswers', () => {
  it('claims nothing from one run a side', () => {
    const text = renderAnswers(study, { practicalThreshold: null, repeats: 'runs', controls: [] }, options).replace(
      /\s+/g,
      ' ',
    );
    expect(text).toBe(
      'Descriptive: one run a side, nothing is claimed. What was seen: dlv was 92 % faster than withoutdlv (one run a side). Chance or drift alone could do that.',
    );
  });
});
