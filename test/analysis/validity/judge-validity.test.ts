import { describe, expect, it } from 'vitest';
import { checkTrials, judgeValidity } from '../../../runner/analysis/validity/judge-validity.ts';
import { renderHtml } from '../../../runner/report/html/page.ts';
import { renderMarkdown } from '../../../runner/report/markdown.ts';
import { renderTerminal } from '../../../runner/report/terminal/terminal.ts';
import { compareTrials } from '../../../runner/analysis/compare.ts';
import type { FinishedTrial, Result } from '../../../runner/contract/result.ts';
import { sampleResult } from '../../helpers/sample-result.ts';

const candidate = 'with-log-volume';

/** As a run leaves it: compared and checked anew. */
function judged(result: Result): Result {
  const trials = checkTrials(result);
  const { comparisons } = compareTrials({
    trials,
    baseline: result.experiment.baseline,
    variants: result.variants.map(({ name }) => name),
    decision: result.experiment.definition.decision,
    limit: 'time',
  });
  return { ...result, trials, comparisons: judgeValidity(comparisons, { ...result, trials }) };
}

function withheld(result: Result): string[] {
  const [primary] = judged(result).comparisons.filter((one) => one.primary);
  expect(primary?.verdict === null).toBe(primary?.withheld !== undefined);
  return primary?.withheld ?? [];
}

function changeTrials(result: Result, change: (trial: FinishedTrial) => Partial<FinishedTrial>): Result {
  return {
    ...result,
    trials: result.trials.map((trial) => (trial.state === 'finished' ? { ...trial, ...change(trial) } : trial)),
  };
}

function restarted(result: Result): Result {
  return changeTrials(result, ({ id, server }) => ({
    server: server && { ...server, restarted: id.startsWith('block-03-1') },
  }));
}

function onOtherMinor(result: Result): Result {
  const ran = changeTrials(result, ({ variant, run }) => ({
    run: { ...run, serverVersion: variant === candidate ? '16.14' : '16.15' },
  }));
  const variants = result.variants.map((one) => (one.name === candidate ? { ...one, serverVersion: '16.14' } : one));
  return { ...ran, variants };
}

describe('a verdict', () => {
  it('stands where nothing failed', () => {
    expect(withheld(sampleResult())).toEqual([]);
  });

  it('is withheld where one variant ran on another minor version', () => {
    expect(withheld(onOtherMinor(sampleResult()))).toEqual([
      `server version: the server’s version is 16.15 in without-log-volume, 16.14 in ${candidate}`,
    ]);
  });

  it('is withheld where a trial had a restart in it', () => {
    expect(withheld(restarted(sampleResult()))).toEqual([
      expect.stringMatching(/^block-03-1-without-log-volume: restart or failover: the server started anew/),
    ]);
  });

  it('is withheld where settings differ that nobody declared, but not where they may follow from what was', () => {
    const result = sampleResult();
    const other = result.variants[1];
    if (!other) throw new Error('the sample has two variants');
    other.settings['synchronous_commit'] = 'off';
    // log_directory is declared to differ: a parameter, from which others may follow.
    expect(withheld(result)).toEqual([]);
    for (const variant of Object.values(result.experiment.definition.variants)) variant.engine.parameters = {};
    result.variants.forEach(({ settings }) => (settings['log_directory'] = 'log'));
    expect(withheld(result)).toEqual([`settings: synchronous_commit is on in without-log-volume, off in ${candidate}`]);
  });

  it('is withheld where the tables of one side were much larger', () => {
    const result = changeTrials(sampleResult(), ({ variant, server }) => ({
      server: server && { ...server, sizesAtStart: { sizeBytes: variant === candidate ? 3e8 : 2e8 } },
    }));
    expect(withheld(result)).toEqual([
      expect.stringMatching(/^size and history of tables: .* 190\.7 MiB .* 286\.1 MiB/),
    ]);
  });

  it('is not withheld where the faster side has written a little more history in its warm-up', () => {
    const result = changeTrials(sampleResult(), ({ variant, server }) => ({
      server: server && {
        ...server,
        sizesAtStart: { sizeBytes: 2e8, historyBytes: variant === candidate ? 4e5 : 2e5 },
      },
    }));
    expect(withheld(result)).toEqual([]);
  });

  describe('of deployed variants', () => {
    const deployed = (change: { zone?: string; attached?: boolean }): Result => {
      const result = sampleResult();
      const variants = result.variants.map((variant, index) => ({
        ...variant,
        deployed: {
          kind: 'instance' as const,
          identifier: variant.name,
          resourceId: null,
          endpoint: null,
          class: 'db.r6g.large',
          engineVersion: '16.15',
          storage: { type: 'io2', sizeGib: 1000, iops: 10_000, throughputMibps: null },
          dedicatedLogVolume: index > 0 && (change.attached ?? true),
          multiAz: false,
          availabilityZone: index > 0 ? (change.zone ?? 'us-east-1a') : 'us-east-1a',
          standbyZones: [],
          parameterGroup: null,
          backupRetentionDays: 0,
          monitoringIntervalSeconds: 1,
        },
      }));
      return { ...result, variants, place: { ...result.place, kind: 'deployed' } };
    };

    it('stands where they are as declared', () => {
      expect(withheld(deployed({}))).toEqual([]);
    });
    it('stands in a crossover, whatever the log volumes were at first', () => {
      const result = deployed({ attached: false });
      result.experiment.definition.protocol = { ...result.experiment.definition.protocol, crossover: true };
      expect(withheld(result)).toEqual([]);
    });
    it('is withheld where they stand in two zones', () => {
      expect(withheld(deployed({ zone: 'us-east-1b' }))).toEqual([
        `zone: the zone is us-east-1a in without-log-volume, us-east-1b in ${candidate}`,
      ]);
    });
    it('is withheld where the log volume that was declared is not attached', () => {
      expect(withheld(deployed({ attached: false }))).toContain(`log volume: ${candidate} has none, unlike declared`);
    });
  });
});

describe.each([
  ['another minor version', onOtherMinor, 'server version'],
  ['a restart', restarted, 'restart or failover'],
])('a result with %s', (_, change, check) => {
  const result = judged(change(sampleResult()));

  it.each([
    ['terminal', renderTerminal(result, { columns: 100, colour: false })],
    ['Markdown', renderMarkdown(result)],
    ['HTML', renderHtml(result)],
  ])('has no verdict and says why, in %s', (_format, text) => {
    const words = text.replaceAll(/\s+/g, ' ');
    expect(words).toContain('No verdict: with-log-volume cannot be judged against without-log-volume');
    expect(words).toContain(check);
    expect(words).not.toMatch(/is \d+ % faster than/);
  });
});

describe('what is to be known before believing a verdict', () => {
  const checkOf = (result: Result, name: string) =>
    judged(result)
      .comparisons.find(({ primary }) => primary)
      ?.checks?.find((one) => one.name === name);

  it('is a block that lies far from the others, which counts all the same', () => {
    const odd = changeTrials(sampleResult({ blocks: 8 }), ({ block, variant, run }) => ({
      run: { ...run, tps: block === 5 && variant === candidate ? (run.tps ?? 0) * 3 : run.tps },
    }));
    expect(checkOf(odd, 'outliers')).toMatchObject({
      state: 'warn',
      finding: expect.stringContaining('block 5 (') as string,
    });
    expect(checkOf(sampleResult({ blocks: 8 }), 'outliers')?.state).toBe('pass');
  });

  it('is an order that was not drawn by chance', () => {
    const result = sampleResult();
    result.experiment.definition.protocol.order = 'fixed';
    expect(checkOf(result, 'order')?.state).toBe('warn');
  });

  it('are blocks that do not count', () => {
    const result = sampleResult({ blocks: 7, failedTrial: { block: 2, variant: candidate } });
    expect(checkOf(result, 'blocks')).toMatchObject({ state: 'warn', finding: '6 of 7 planned blocks count' });
  });

  it('is a start that MSER-5 would leave out', () => {
    const slowStart = changeTrials(sampleResult({ trialSeconds: 100 }), ({ latency }) => ({
      latency: latency && {
        ...latency,
        perSecond: latency.perSecond.map((one, index) => ({
          ...one,
          transactions: (index < 35 ? 500 : 1500) + ((index * 7919) % 13),
        })),
      },
    }));
    expect(checkOf(slowStart, 'warm-up')).toMatchObject({ state: 'warn' });
    expect(checkOf(sampleResult({ trialSeconds: 30 }), 'warm-up')?.state).toBe('not assessed');
  });
});
