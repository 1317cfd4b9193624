import { describe, expect, it } from 'vitest';
import { silencesOf } from '../../../runner/workloads/pgbench/output/parse-progress.ts';

/** Lines as of pgbench with --progress=1 --progress-timestamp. */
function progress(...lines: [second: number, tps: number, more?: string][]): string {
  return [
    'pgbench: warning: something else',
    ...lines.map(
      ([second, tps, more = '']) =>
        `progress: ${(1_790_000_000 + second).toFixed(3)} s, ${tps.toFixed(1)} tps, lat ${tps > 0 ? '1.0' : '0.0'}00 ms stddev 0.000${more}`,
    ),
  ].join('\n');
}

describe('the silences of a run', () => {
  it('are none where it reports transactions every second', () => {
    const { gapSeconds, silentSeconds } = silencesOf(progress([1, 500], [2, 480], [3.002, 510]), null);
    expect(gapSeconds).toBeCloseTo(1.002);
    expect(silentSeconds).toBe(0);
  });

  it('add up over reports without any transaction', () => {
    const text = progress([1, 500], [2, 0], [3, 0], [4, 0], [5, 300], [6, 0], [7, 1]);
    expect(silencesOf(text, null)).toEqual({ gapSeconds: 1, silentSeconds: 3 });
  });

  it('are of the load generator where a report is late', () => {
    expect(silencesOf(progress([1, 500], [6, 100], [7, 500]), null)).toEqual({ gapSeconds: 5, silentSeconds: 3 });
  });

  it('are of the load generator where its first report is late, after its clients were connected', () => {
    const late = progress([8.8, 500], [9.8, 500]);
    const { gapSeconds, silentSeconds } = silencesOf(late, 1_790_000_000.3);
    expect(gapSeconds).toBeCloseTo(8.5);
    expect(silentSeconds).toBeCloseTo(6.5);
    expect(silencesOf(late, 1_790_000_007.8)).toMatchObject({ silentSeconds: 0 });
  });

  it('are none of the server where transactions failed or were skipped', () => {
    const failing = progress([1, 500], [2, 0, ', 7 failed'], [3, 0, ', 0 failed, lag 1.000 ms, 9 skipped']);
    expect(silencesOf(failing, null).silentSeconds).toBe(0);
  });

  it('are not known without two reports', () => {
    expect(silencesOf(progress([1, 500]), null)).toEqual({ gapSeconds: null, silentSeconds: null });
    expect(silencesOf('', null)).toEqual({ gapSeconds: null, silentSeconds: null });
  });
});
