import { describe, expect, it } from 'vitest';
import { viewResult } from '../../runner/report/view/view-model.ts';
import { sampleResult } from '../helpers/sample-result.ts';

describe('the answer', () => {
  it('names interval, level, blocks and the practical threshold', () => {
    expect(viewResult(sampleResult()).answers[0]?.evidence).toMatch(
      /^TPS: interval \d+ to \d+ %, 96\.9 % level, six blocks\. Changes below 5 % were declared too small to matter\.$/,
    );
  });

  it('says slower of a candidate that is worse', () => {
    const result = sampleResult({ variants: { base: 1, slow: 0.8 }, verdict: 'worse' });
    expect(viewResult(result).answers[0]?.headline).toMatch(/^slow is 20 % slower than base\.$/);
  });

  it('names the bounds within which variants are equivalent', () => {
    const result = sampleResult({ variants: { base: 1, same: 1 }, verdict: 'equivalent' });
    const [answer] = viewResult(result).answers;
    expect(answer?.headline).toBe('same and base are equivalent for practical purposes.');
    expect(answer?.evidence).toContain('within ±5 %');
  });

  it('says why it is inconclusive', () => {
    const result = sampleResult({ variants: { base: 1, same: 1 }, verdict: 'inconclusive' });
    expect(viewResult(result).answers[0]?.headline).toMatch(/^Inconclusive:/);
    expect(viewResult(result).answers[0]?.evidence).toContain('the interval includes no change at all');
  });

  it('is given for each candidate', () => {
    const result = sampleResult({ variants: { base: 1, quick: 1.2, quicker: 1.4 } });
    expect(viewResult(result).answers.map(({ candidate }) => candidate)).toEqual(['quick', 'quicker']);
  });

  it.each([
    ['equivalent', /^The control holds: same is base once more, and no difference/],
    ['inconclusive', /^The control holds: /],
    ['better', /^The control fails: same is base once more, yet same is /],
  ] as const)(
    'tells of a variant that is the baseline once more whether the control holds: %s',
    (verdict, headline) => {
      const result = sampleResult({ variants: { base: 1, same: 1 }, verdict });
      const { variants } = result.experiment.definition;
      variants['same'] = { ...variants['base'], description: 'once more' } as (typeof variants)[string];
      expect(viewResult(result).answers[0]?.headline).toMatch(headline);
    },
  );

  it('describes a contrast between two candidates, without verdict', () => {
    const result = sampleResult({ variants: { base: 1, quick: 1.2, quicker: 1.4 } });
    const contrast = result.comparisons
      .filter(({ candidate }) => candidate.variant === 'quicker')
      .map((each) => ({
        ...each,
        primary: false,
        verdict: null,
        baseline: { ...each.baseline, variant: 'quick' },
      }));
    const view = viewResult({ ...result, comparisons: [...result.comparisons, ...contrast] });
    expect(view.answers.map(({ headline }) => headline).at(-1)).toMatch(
      /^Besides: quicker was \d+ % faster than quick\.$/,
    );
    expect(view.comparisons.map(({ title }) => title)).toEqual([
      'quick against base',
      'quicker against base',
      'quicker against quick',
    ]);
  });

  it('speaks of latency as lower, not as slower', () => {
    const result = sampleResult();
    result.comparisons = result.comparisons.map((comparison) => ({
      ...comparison,
      primary: comparison.metric === 'latency.p99',
      verdict: comparison.metric === 'latency.p99' ? 'better' : null,
    }));
    expect(viewResult(result).answers[0]?.headline).toMatch(
      /^The p99 latency of with-log-volume is \d+ % lower than that of without-log-volume\.$/,
    );
  });

  it('says what is missing when nothing was measured', () => {
    expect(viewResult(sampleResult({ silent: true })).answers[0]?.headline).toMatch(/^There is no answer/);
    expect(viewResult({ ...sampleResult(), comparisons: [] }).answers[0]?.evidence).toBe('12 of 12 trials finished.');
  });
});

describe('the tables', () => {
  it('scale both sides of a metric alike and name the unit once', () => {
    const { rows } = viewResult(sampleResult()).comparisons[0] ?? { rows: [] };
    const average = rows.find(({ cells }) => cells[0] === 'latency average (ms)');
    expect(average?.cells.slice(1, 3)).toEqual([
      expect.stringMatching(/^\d\.\d\d$/),
      expect.stringMatching(/^\d\.\d\d$/),
    ]);
  });

  it('show the published numbers of the study that they are modelled on', () => {
    const result = sampleResult();
    const [tps] = result.comparisons;
    if (!tps) throw new Error('the sample has comparisons');
    const side = (variant: string, median: number) => ({ variant, median, n: 1 });
    result.comparisons = [
      {
        ...tps,
        baseline: side('withoutdlv', 6984),
        candidate: side('dlv', 13397),
        change: 0.9182,
        speedup: 0.9182,
        interval: null,
      },
      {
        ...tps,
        metric: 'runtime',
        better: 'lower',
        primary: false,
        verdict: null,
        baseline: side('withoutdlv', 77 * 60),
        candidate: side('dlv', 40 * 60),
        change: 40 / 77 - 1,
        speedup: 77 / 40 - 1,
        interval: null,
      },
    ];
    expect(viewResult(result).comparisons[0]?.rows.map(({ cells }) => cells.slice(0, 6))).toEqual([
      ['runtime (min)', '77.0', '40.0', '−48.1 %', '+92.5 %', '–'],
      ['TPS', '6,984', '13,397', '+91.8 %', '+91.8 %', '–'],
    ]);
  });

  it('show more than two variants at a glance, with what their data and WAL are on', () => {
    const { variants } = viewResult(sampleResult({ variants: { base: 1, quick: 1.2, quicker: 1.4 } }));
    expect(variants.rows.map(({ cells }) => [cells[0], cells[1], cells[2], cells[4]])).toEqual([
      ['base', '1,500 IOPS', 'data’s', 'baseline'],
      ['quick', '1,000 IOPS', '500 IOPS', expect.stringMatching(/^\+\d/)],
      ['quicker', '1,000 IOPS', '500 IOPS', expect.stringMatching(/^\+\d/)],
    ]);
    expect(viewResult(sampleResult()).variants.rows).toEqual([]);
  });

  it('keep a failed trial in sight, with its cause', () => {
    const { trials } = viewResult(sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } }));
    const failed = trials.rows.filter(({ cells }) => cells[3] === 'failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]?.cells.at(-1)).toBe(
      'Failed during measure: pgbench exited with 2: connection to server was lost.',
    );
  });

  it('show first the settings that differ', () => {
    const result = sampleResult();
    const { rows } = viewResult(result).settings;
    const place = (name: string) => rows.findIndex(({ cells }) => cells[0] === name);
    expect(place('log_directory')).toBeLessThan(place('checkpoint_timeout'));
    expect(rows[place('log_directory')]?.emphasis).toBe('strong');
    expect(rows[place('shared_buffers')]?.cells).toEqual(['shared_buffers', '128 MiB', '128 MiB']);
  });

  it('do not round away a difference between settings', () => {
    const result = sampleResult();
    result.variants.forEach((variant, index) => (variant.settings.shared_buffers = `${16_384_000 + index} (8kB)`));
    const row = viewResult(result).settings.rows.find(({ cells }) => cells[0] === 'shared_buffers');
    expect(row?.cells).toEqual(['shared_buffers', '16384000 (8kB)', '16384001 (8kB)']);
  });

  it('leave out what no server counted', () => {
    expect(viewResult(sampleResult({ silent: true })).server.rows).toEqual([]);
  });
});

describe('what to know before believing it', () => {
  it('begins with what the place cannot show', () => {
    expect(viewResult(sampleResult()).attention[0]).toContain('stand in for storage of a cloud');
  });

  it('says what checks found, failures first, each once with how many trials it is of', () => {
    const result = sampleResult();
    const found = { name: 'client time', state: 'warn', finding: '15 % of each turn' } as const;
    result.trials = result.trials.map((trial, index) =>
      trial.state === 'finished'
        ? {
            ...trial,
            checks: [found, ...(index === 3 ? [{ name: 'clock', state: 'fail', finding: 'set by 2 s' } as const] : [])],
          }
        : trial,
    );
    const { attention, checks, trials } = viewResult(result);
    expect(attention.slice(1)).toEqual([
      'Failed check: clock: set by 2 s.',
      'client time: 15 % of each turn (12 of 12 trials, such as this one).',
    ]);
    expect(checks.rows.map(({ cells }) => cells)).toEqual([
      ['clock', 'trials', '1', '', '', '', 'set by 2 s (block-02-2-without-log-volume)'],
      ['client time', 'trials', '', '12', '', '', '15 % of each turn (block-01-1-without-log-volume)'],
    ]);
    expect(trials.rows[3]?.cells.at(-1)).toBe('See: client time. Failed check: clock: set by 2 s.');
  });

  it('says a remark on several trials once', () => {
    const result = sampleResult();
    result.trials = result.trials.map((trial) =>
      trial.state === 'finished' ? { ...trial, warnings: ['a checkpoint was still running'] } : trial,
    );
    expect(viewResult(result).attention).toContain('a checkpoint was still running. (12 of 12 trials)');
  });
});
