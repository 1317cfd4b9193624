import { describe, expect, it } from 'vitest';
import { sections } from '../../runner/report/sections/registry.ts';
import { blocksFor, reported } from '../../runner/report/sections/section.ts';
import { comparisonTables } from '../../runner/report/view/comparison-table.ts';
import { viewResult } from '../../runner/report/view/view-model.ts';
import { changedSample, publishedStudy } from '../helpers/samples/changed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

describe('the tables', () => {
  it('scale both sides of a metric alike and name the unit once', async () => {
    const { rows } = viewResult(await sampleResult()).comparisons[0] ?? { rows: [] };
    const average = rows.find(({ cells }) => cells[0] === 'latency average (ms)');
    expect(average?.cells.slice(1, 3)).toEqual([
      expect.stringMatching(/^\d\.\d\d$/),
      expect.stringMatching(/^\d\.\d\d$/),
    ]);
  });

  it('show the published numbers of the study that they are modelled on', async () => {
    const { result } = await publishedStudy();
    expect(viewResult(result).comparisons[0]?.rows.map(({ cells }) => cells.slice(0, 6))).toEqual([
      ['runtime (min)', '77.0', '40.0', '−48.1 %', '', '–'],
      ['TPS', '6,984', '13,397', '+91.8 %', '+91.8 %', '–'],
      ['TPS, mean of all trials', '6,984', '13,397', '–', '', '–'],
      ['latency average (ms)', '8.80', '4.50', '−48.9 %', '', '–'],
      ['WAL write time (s)', '56.7', '51.9', '−8.4 %', '', '–'],
      ['WAL sync time (min)', '73.9', '36.4', '−50.7 %', '', '–'],
    ]);
  });

  it('show more than two variants at a glance, the best first, with what their data and WAL are on', async () => {
    const { variants } = viewResult(await sampleResult({ variants: { base: 1, quick: 1.2, quicker: 1.4 } }));
    expect(variants.rows.map(({ cells }) => [cells[0], cells[1], cells[2], cells[4]])).toEqual([
      ['base', '1,500 IOPS', 'data volume', 'baseline'],
      ['quicker', '1,000 IOPS', '500 IOPS', expect.stringMatching(/^\+\d/)],
      ['quick', '1,000 IOPS', '500 IOPS', expect.stringMatching(/^\+\d/)],
    ]);
    expect(viewResult(await sampleResult()).variants.rows).toEqual([]);
  });

  it('keep a failed trial in sight, with its cause', async () => {
    const { trials } = viewResult(await sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } }));
    const failed = trials.rows.filter(({ cells }) => cells[3] === 'failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]?.cells.at(-1)).toBe(
      'Failed during measure: pgbench exited with 2: connection to server was lost.',
    );
  });

  it('tell the attempts at a block apart, once there are several', async () => {
    const result = await sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } });
    const titles = (of: typeof result): string[] => viewResult(of).trials.columns.map(({ label }) => label);
    expect(titles(result)).not.toContain('attempt');
    const again = result.trials
      .filter(({ block }) => block === 2)
      .map((trial) => ({ ...trial, attempt: 2, id: `${trial.id}-repeat-2` }));
    const repeated = { ...result, trials: [...result.trials, ...again] };
    expect(titles(repeated).slice(0, 3)).toEqual(['block', 'attempt', 'place']);
    const rows = viewResult(repeated).trials.rows.filter(({ cells }) => cells[0] === '2');
    expect(rows.map(({ cells }) => cells[1])).toEqual(['1', '1', '2', '2']);
  });

  it('show the settings that differ apart from those that are the same', async () => {
    const { differing, shared } = viewResult(await sampleResult()).settings;
    const namesIn = ({ rows }: typeof shared) => rows.map(({ cells }) => cells[0]);
    expect(namesIn(differing)).toContain('log_directory');
    expect(namesIn(shared)).not.toContain('log_directory');
    expect(shared.rows.map(({ cells }) => cells)).toContainEqual(['shared_buffers', '128 MiB', '128 MiB']);
    expect(shared.summary).toBe(`${differing.rows.length} differ, ${shared.rows.length} are the same`);
  });

  it('count the metrics that changed beyond chance only among those that have an interval', async () => {
    const [table] = comparisonTables((await sampleResult()).comparisons);
    const [, metrics, intervals] =
      /^(\d+) metrics; of (\d+) with an interval, \d+ changed/.exec(table?.summary ?? '') ?? [];
    expect(Number(metrics)).toBe(table?.rows.length);
    expect(Number(intervals)).toBe(table?.rows.filter(({ cells }) => cells.at(-2) !== '–').length);
    expect(Number(intervals)).toBeLessThan(Number(metrics));
  });

  it('do not round away a difference between settings', async () => {
    const result = await sampleResult();
    result.variants.forEach((variant, index) => (variant.settings.shared_buffers = `${16_384_000 + index} (8kB)`));
    const { rows } = viewResult(result).settings.differing;
    expect(rows.map(({ cells }) => cells)).toContainEqual(['shared_buffers', '16384000 (8kB)', '16384001 (8kB)']);
  });

  it('say of each setting whether the experiment declares it or the server reported it', async () => {
    const { differing, shared } = viewResult(await sampleResult()).settings;
    const groups = new Map([...differing.rows, ...shared.rows].map(({ cells, group }) => [cells[0], group]));
    expect(groups.get('storage')).toBe('as the experiment declares it');
    expect(groups.get('log volume')).toBe('as the experiment declares it');
    expect(groups.get('PostgreSQL')).toBe('as the server or AWS reported it');
    expect(groups.get('shared_buffers')).toBe('as the server or AWS reported it');
    for (const { notes } of [differing, shared]) expect(notes).toEqual([]);
  });

  it('leave out what no server counted', async () => {
    const of = reported(await sampleResult({ silent: true }));
    const serverSections = [
      'waits',
      'scripts',
      'procedures',
      'volumes',
      'replication',
      'backends',
      'devices',
      'evidence',
      'statements',
      'absent',
    ];
    for (const section of sections.filter(({ id }) => serverSections.includes(id))) {
      expect(blocksFor('page', section, of), section.id).toEqual([]);
    }
  });
});

describe('what to know before believing it', () => {
  it('begins with what the place cannot show', async () => {
    expect(viewResult(await sampleResult()).attention[0]).toContain('stand in for storage of a cloud');
  });

  it('says what checks found, failures first, each once with how many trials it is of', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      const found = { id: 'client-time', name: 'client time', state: 'warn', finding: '15 % of each turn' } as const;
      const set = {
        id: 'clock',
        name: 'clock',
        state: 'fail',
        finding: 'set by 2 s',
        outside: 'suspended driver',
      } as const;
      for (const [index, trial] of trials.entries()) trial.checks = [found, ...(index === 3 ? [set] : [])];
    });
    const { attention, checks, trials } = viewResult(result);
    expect(attention.slice(1)).toEqual([
      'Client time: 15 % of each turn (block-01-1-without-log-volume and 11 more of 12 trials). This could change the size of the effect.',
    ]);
    expect(checks.rows.map(({ cells }) => cells).filter(([, of]) => of === 'trials')).toEqual([
      ['clock', 'trials', '1', '', '', '', 'set by 2 s (block-02-2-without-log-volume)'],
      ['client time', 'trials', '', '12', '', '', '15 % of each turn (block-01-1-without-log-volume)'],
    ]);
    expect(checks.rows.find(({ cells }) => cells[0] === 'server version')?.cells.slice(1, 6)).toEqual([
      ...['with-log-volume against without-log-volume', '', '', '', '1'],
    ]);
    expect(trials.rows[3]?.cells.at(-1)).toBe('See the check “client time”. Failed check: clock: set by 2 s.');
  });

  it('says which trials do not count because their block was measured once more', async () => {
    const { attention } = viewResult(await sampleResult({ repeatedBlock: { block: 2, factor: 1.5 } }));
    expect(attention).toContainEqual(
      expect.stringMatching(
        /^Two of 14 trials finished and do not count, because the block is unknown, was measured again/,
      ),
    );
  });

  it('says a remark on several trials once', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      for (const trial of trials) trial.warnings = ['a checkpoint was still running'];
    });
    expect(viewResult(result).attention).toContain('a checkpoint was still running. (12 of 12 trials)');
  });
});
