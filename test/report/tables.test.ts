import { describe, expect, it } from 'vitest';
import { doubtDefinitions } from '../../runner/analysis/validity/doubts.ts';
import { reported } from '../../runner/report/reported.ts';
import { sections } from '../../runner/report/sections/registry.ts';
import { drawnIn } from '../../runner/report/sections/section.ts';
import { changedSample, publishedStudy } from '../helpers/samples/changed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { cellsOf, tablesOf } from '../helpers/shown/section-tables.ts';

describe('the tables', () => {
  it('show the published numbers of the study that they are modelled on', async () => {
    const { result } = await publishedStudy();
    expect(cellsOf(result, 'comparison').map((cells) => cells.slice(0, 6))).toEqual([
      ['runtime (min)', '77.0', '40.0', '−48.1%', '', '–'],
      ['TPS', '6,984', '13,397', '+91.8%', '+91.8%', '–'],
      ['TPS, mean of all trials', '6,984', '13,397', '–', '', '–'],
      ['latency average (ms)', '8.80', '4.50', '−48.9%', '', '–'],
      ['WAL write time (s)', '56.7', '51.9', '−8.4%', '', '–'],
      ['WAL sync time (min)', '73.9', '36.4', '−50.7%', '', '–'],
    ]);
  });

  it('show more than two variants at a glance, the best first', async () => {
    const result = await sampleResult({ variants: { base: 1, quick: 1.2, quicker: 1.4 } });
    expect(cellsOf(result, 'variants').map(([name]) => name)).toEqual(['base', 'quicker', 'quick']);
    expect(cellsOf(await sampleResult(), 'variants')).toEqual([]);
  });

  it('tell the attempts at a block apart, once there are several', async () => {
    const result = await sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } });
    const titles = (of: typeof result): string[] =>
      tablesOf(of, 'trials').flatMap(({ columns }) => columns.map(({ label }) => label));
    expect(titles(result)).not.toContain('attempt');
    const again = result.trials
      .filter(({ block }) => block === 2)
      .map((trial) => ({ ...trial, attempt: 2, id: `${trial.id}-repeat-2` }));
    const repeated = { ...result, trials: [...result.trials, ...again] };
    expect(titles(repeated).slice(0, 3)).toEqual(['block', 'attempt', 'place']);
    const rows = cellsOf(repeated, 'trials').filter(([block]) => block === '2');
    expect(rows.map(([, attempt]) => attempt)).toEqual(['1', '1', '2', '2']);
  });

  it('show the settings that differ apart from those that are the same, and never round a difference away', async () => {
    const result = await sampleResult();
    result.variants.forEach((variant, index) => (variant.settings.shared_buffers = `${16_384_000 + index} (8kB)`));
    expect(cellsOf(result, 'settings')).toContainEqual(['shared_buffers', '16384000 (8kB)', '16384001 (8kB)']);
    expect(cellsOf(result, 'settings').map(([name]) => name)).toContain('log_directory');
    expect(cellsOf(result, 'settings-shared').map(([name]) => name)).not.toContain('log_directory');
    expect(cellsOf(await sampleResult(), 'settings-shared')).toContainEqual(['shared_buffers', '128 MiB', '128 MiB']);
  });

  it('show what was built: code by commit or content, options and compiler', async () => {
    const result = await sampleResult();
    const code = { from: '../postgres', compiler: 'gcc 12' };
    const [commit, content] = ['a'.repeat(40), 'b'.repeat(64)];
    const built = [
      { server: { ...code, commit, describe: 'REL_17_5', configure: [] } },
      {
        server: { ...code, content, configure: ['--enable-cassert'] },
        extension: { ...code, content, names: ['hello'] },
      },
    ];
    result.variants.forEach((variant, index) => (variant.built = built[index]));
    expect(cellsOf(result, 'settings')).toEqual(
      expect.arrayContaining([
        ['source code', 'REL_17_5 (aaaaaaaaaaaa) of ../postgres', '../postgres (content bbbbbbbbbbbb)'],
        ['options of configure', 'none', '--enable-cassert'],
        ['extension', '–', 'hello from ../postgres (content bbbbbbbbbbbb)'],
      ]),
    );
    expect(cellsOf(result, 'settings-shared')).toContainEqual(['compiler', 'gcc 12', 'gcc 12']);
  });

  it('count the metrics whose interval excludes zero only among those that have an interval', async () => {
    const [table] = tablesOf(await sampleResult(), 'comparison');
    const [metrics, intervals] = [...(table?.summary ?? '').matchAll(/\d+/g)].map(Number);
    expect(metrics).toBe(table?.rows.length);
    expect(intervals).toBe(table?.rows.filter(({ cells }) => cells.at(-2) !== '–').length);
    expect(intervals).toBeLessThan(metrics ?? 0);
  });

  it('leave out what no server counted', async () => {
    const of = reported(await sampleResult({ silent: true }));
    const serverSections =
      'waits scripts procedures volumes replication backends devices evidence statements absent'.split(' ');
    const own = sections.filter(({ id }) => serverSections.includes(id));
    for (const { id, drawn } of drawnIn('page', own, of)) expect(drawn, id).toEqual([]);
  });
});

describe('what to know before believing it', () => {
  it('begins with what the place cannot show', async () => {
    expect(reported(await sampleResult()).doubts[0]).toMatchObject({ id: 'place', effect: 'answer' });
  });

  it('says what checks found, failures first, each once with how many trials it is of', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      const found = { id: 'client-time', name: 'client time', state: 'warn', finding: '15% of each turn' } as const;
      const outside = 'suspended-driver';
      const set = { id: 'clock', name: 'clock', state: 'fail', finding: 'set by 2 s', outside } as const;
      for (const [index, trial] of trials.entries()) trial.checks = [found, ...(index === 3 ? [set] : [])];
    });
    expect(reported(result).doubts.slice(1)).toMatchObject([{ id: 'client-time', effect: 'size' }]);
    expect(cellsOf(result, 'checks').filter(([, of]) => of === 'trials')).toEqual([
      ['clock', 'trials', '1', '', '', '', 'set by 2 s (block-02-2-without-log-volume)'],
      ['client time', 'trials', '', '12', '', '', '15% of each turn (block-01-1-without-log-volume)'],
    ]);
  });

  it('says a remark on several trials once', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      for (const trial of trials) trial.warnings = [{ id: 'measurement', message: 'a checkpoint was still running' }];
    });
    expect(reported(result).doubts.filter(({ id }) => id === doubtDefinitions.trialWarning.id)).toHaveLength(1);
  });
});
