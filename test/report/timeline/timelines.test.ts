import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import type { SeriesRow } from '../../../runner/contract/metric.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { axisOf } from '../../../runner/report/timeline/drawing.ts';
import { timelineFigures } from '../../../runner/report/timeline/figure.ts';
import { type Timeline, timelinesOf } from '../../../runner/report/timeline/timelines.ts';
import { asSeries } from '../../../runner/storage/series.ts';
import { sampleRun, seriesInMemory } from '../../helpers/samples/sample-result.ts';

/** The run with other series for its trials. */
function withSeries({ result }: OpenedResult, rowsOf: (trial: Trial) => SeriesRow[]): OpenedResult {
  return { result, series: seriesInMemory(new Map(result.trials.map((trial) => [trial.id, rowsOf(trial)]))) };
}

function every(seconds: number, name: string, value: (second: number) => number, cadence = 1): SeriesRow[] {
  return Array.from({ length: Math.ceil(seconds / cadence) }, (_, index) => ({
    second: index * cadence,
    name,
    value: value(index * cadence),
  }));
}

/** The run with trials that end so many seconds after they started. */
function lasting(seconds: number, { result, series }: OpenedResult): OpenedResult {
  const trials = result.trials.map((trial) => ({
    ...trial,
    endedAt: new Date(Date.parse(trial.startedAt) + 1000 * seconds).toISOString(),
  }));
  return { result: { ...result, trials }, series };
}

const checkpoint = { reason: 'wal', restartpoint: false, buffers: null, writeSeconds: null, syncSeconds: null };

describe('trials over time', () => {
  it('have a panel for what was measured, and none for what was not', async () => {
    const run = withSeries(await sampleRun(), (trial) => [
      ...every(20, 'tps', () => 100),
      ...(trial.conditions.variant === 'with-log-volume' ? every(20, 'volumes.log.writes', () => 150) : []),
      ...every(20, 'volumes.data.writes', () => 300),
      ...every(20, 'volumes.data.reads', () => 40),
    ]);
    const [timeline] = await timelinesOf(run.result, run.series);
    expect(timeline?.panels.map(({ panel }) => panel.title)).toEqual([
      'TPS',
      'data volume: I/Os per second',
      'log volume: I/Os per second',
    ]);
    const [, data, log] = timeline?.panels ?? [];
    expect(data?.medians.map((values) => values[5])).toEqual([340, 340]);
    expect(log?.medians.map((values) => values[5] ?? null)).toEqual([null, 150]);
    expect(timeline?.waits).toEqual([]);
  });

  it('have axes for the trials that there are as long as none counts', async () => {
    const { result, series } = withSeries(await sampleRun(), () => every(20, 'tps', () => 100));
    const [timeline] = await timelinesOf({ ...result, comparisons: [] }, series);
    expect(timeline?.panels.map(({ highest }) => highest)).toEqual([100]);
  });

  it('draw a source that looks once in ten seconds without gaps, from the start of the trial on', async () => {
    const run = withSeries(await sampleRun({ trialSeconds: 60 }), () => [
      ...every(60, 'tps', () => 100),
      ...every(60, 'os.device.rdsdev.writes', () => 9, 10),
    ]);
    const [timeline] = await timelinesOf(run.result, run.series);
    expect(timeline?.panels.map(({ medians }) => medians[0]?.[0])).toEqual([null, 9]);
    expect(timeline?.panels[1]).toMatchObject({ every: 10, medians: [Array(6).fill(9), Array(6).fill(9)] });
  });

  it('leave a gap where a second has no value, also in the waits', async () => {
    const run = withSeries(await sampleRun({ trialSeconds: 10 }), () =>
      [...every(10, 'tps', () => 100), ...every(10, 'waits.sessions.CPU', () => 2)].filter(
        ({ second }) => second < 4 || second > 6,
      ),
    );
    const [timeline] = await timelinesOf(run.result, run.series);
    expect(timeline?.panels[0]?.medians[0]?.slice(3, 8)).toEqual([100, null, null, null, 100]);
    expect(timeline?.waits[0]?.bands).toEqual([
      { event: 'CPU', values: [null, 2, 2, 2, null, null, null, 2, 2, null] },
    ]);
    const [figure] = await timelineFigures(run.result, run.series, 'trials-seen');
    expect(figure?.text.match(/class="median"[^>]* d="M[^"M]*M/g)).toHaveLength(2);
  });

  it('show the same whole seconds in every panel, whatever was still measured while the load ended', async () => {
    const run = withSeries(lasting(10.3, await sampleRun({ trialSeconds: 10 })), (trial) => [
      ...every(11, 'tps', (second) => (second === 10 ? 9 : 100)),
      ...every(11, 'latency.average', () => 0.01),
      ...every(10, 'wal.rate', () => 1e6),
      ...every(11, 'latency.from.1024', (second) => (second === 10 ? 9 : 100)),
      // Some are sampled once more.
      ...every(trial.block % 3 === 0 ? 10 : 11, 'waits.sessions.CPU', (second) => (second === 10 ? 0 : 2)),
    ]);
    const [timeline] = await timelinesOf(run.result, run.series);
    const seconds = (values: readonly (number | null)[] = []): number[] =>
      values.flatMap((value, second) => (value === null ? [] : [second]));
    const shown = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    expect(timeline?.clock).toEqual({ step: 1, steps: 10 });
    expect(timeline?.panels.map(({ medians }) => medians.map(seconds))).toEqual(Array(3).fill([shown, shown]));
    for (const { bands } of timeline?.waits ?? []) expect(seconds(bands[0]?.values)).toEqual(shown);
    for (const { heat } of timeline?.heats ?? []) expect(heat.cells.map(({ column }) => column)).toEqual(shown);
    const [figure] = await timelineFigures(run.result, run.series, 'trials-seen');
    expect(figure?.text).toContain('without the incomplete first and last second');
  });

  describe('with checkpoints', () => {
    const drawn = async (endedAt: (variant: string) => number | null): Promise<{ text: string; shown?: Timeline }> => {
      const { result } = lasting(10.4, await sampleRun({ trialSeconds: 10 }));
      for (const { facts, conditions } of result.trials) {
        facts.checkpoints = [{ ...checkpoint, startedAt: -1, endedAt: endedAt(conditions.variant) }];
      }
      const run = withSeries({ result, series: seriesInMemory(new Map()) }, () => every(11, 'tps', () => 100));
      const [shown] = await timelinesOf(result, run.series);
      const figures = await timelineFigures(result, run.series, 'trials-seen');
      return { text: figures.map(({ text }) => text).join(''), ...(shown && { shown }) };
    };

    it('shade them, no longer than the trials last', async () => {
      const { text, shown } = await drawn((variant) => (variant === 'with-log-volume' ? null : 3));
      expect(text).toContain('Shaded: checkpoints');
      expect(shown?.checkpoints).toMatchObject([
        { inProgress: [6, 6, 6, 0, 0, 0, 0, 0, 0, 0], trials: 6 },
        { inProgress: Array(10).fill(6), trials: 6, share: 1 },
      ]);
      expect(shown?.checkpoints[0]?.share).toBeCloseTo(3 / 10.4);
      expect(text.match(/class="checkpoint"/g)).toHaveLength(2);
    });

    it('say how much of the time they took where shading would be one flat grey', async () => {
      const { text } = await drawn((variant) => (variant === 'with-log-volume' ? null : 10.19));
      expect(text).toMatch(/Checkpoints are not shaded: they took 98 to 100% of the time\./);
      expect(text).not.toContain('class="checkpoint"');
    });
  });

  it('dot the lines of a trial that does not count, and say why it does not', async () => {
    const run = await sampleRun({ repeatedBlock: { block: 2, factor: 30 } });
    const [timeline] = await timelinesOf(run.result, run.series);
    const hollow = timeline?.trials.filter(({ counted }) => !counted) ?? [];
    expect(hollow.length).toBe(2);
    expect(hollow.every(({ why }) => /[.!?]$/.test(why))).toBe(true);
    const [figure] = await timelineFigures(run.result, run.series, 'trials-seen');
    for (const { id, why } of hollow)
      expect(figure?.text.replaceAll('&#39;', "'")).toContain(`${id}: ${why.slice(0, 20)}`);
    expect(figure?.text).toMatch(/<path class="trial hollow" data-trial="\d+"/);
    // It is not on the axis: that one belongs to what counts.
    const tps = timeline?.panels[0];
    expect(tps?.highest).toBeLessThan(5000);
    expect(figure?.text).not.toMatch(/[ML,]-\d/);
  });

  it('say "limit" in words, and leave out its line if it is far above everything', async () => {
    const { result } = await sampleRun();
    const limited = (limit: number): OpenedResult =>
      withSeries(
        {
          result: {
            ...result,
            trials: result.trials.map((trial) => ({
              ...trial,
              measures: { ...trial.measures, 'volumes.data.iopsLimit': limit },
            })),
          },
          series: seriesInMemory(new Map()),
        },
        () => every(20, 'volumes.data.writes', () => 390),
      );
    const drawn = async (limit: number): Promise<string> => {
      const run = limited(limit);
      return (await timelineFigures(run.result, run.series, 'trials-seen')).map(({ text }) => text).join('');
    };
    expect(await drawn(400)).toMatch(/dashed: limit 400[^]*class="limit"/);
    expect(await drawn(90_000)).toContain('limit 90,000');
    expect(await drawn(90_000)).not.toContain('class="limit"');
  });

  it('take less than 2.5 MB for ten variants with twenty trials of an hour each', { timeout: 240_000 }, async () => {
    const variants = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`variant-${index}`, 1 + index / 10]));
    const { result } = lasting(3600, await sampleRun({ variants, blocks: 20 }));
    const wave = (name: string, mean: number): SeriesRow[] =>
      every(3600, name, (second) => mean * (1 + 0.3 * Math.sin(second * 12.9898)));
    const names = [
      ...['tps', 'latency.average', 'volumes.log.bytesWritten', 'volumes.data.writes', 'volumes.log.writes'],
      ...['CPU', 'IO:WalSync', 'LWLock:WALWrite', 'LWLock:WALInsert', 'IO:DataFileRead', 'Client:ClientRead'].map(
        (event) => `waits.sessions.${event}`,
      ),
    ];
    // One series for all trials: to make two hundred of them would take longer than to draw them.
    const series = asSeries(names.flatMap((name, index) => wave(name, 123.456 + index)));
    const figures = await timelineFigures(result, { read: () => Promise.resolve(series) }, 'trials-seen');
    const size = figures.reduce((sum, { text }) => sum + text.length, 0);
    expect(size).toBeGreaterThan(100_000);
    expect(size).toBeLessThan(2.5e6);
  });
});

describe('an axis', () => {
  it('begins at zero, ends at or above every value, and has two to four ticks', () => {
    const { top, ticks } = axisOf(2300);
    expect([top, ...ticks.map(({ words }) => words)]).toEqual([3000, '0', '1,000', '2,000', '3,000']);
    expect(axisOf(0).top).toBe(1);
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (highest) => {
        const { top, ticks } = axisOf(highest);
        expect(top).toBeGreaterThanOrEqual(highest);
        expect(top).toBeLessThanOrEqual(highest * 10);
        expect(ticks[0]).toEqual({ at: 0, words: '0' });
        expect(ticks.at(-1)?.at).toBeLessThanOrEqual(1);
        expect(new Set(ticks.map(({ words }) => words)).size).toBe(ticks.length);
        expect([2, 3, 4]).toContain(ticks.length);
      }),
    );
  });
});
