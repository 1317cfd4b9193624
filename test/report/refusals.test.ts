import { describe, expect, it } from 'vitest';
import { addChecks, withFailedChecks } from '../../runner/analysis/validity/judge-validity.ts';
import { checkById, everyCheck } from '../../runner/analysis/validity/registry.ts';
import type { Check } from '../../runner/contract/check.ts';
import { resultFile } from '../../runner/contract/result.ts';
import { parseVersioned } from '../../runner/contract/versioned-file.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { printedWords } from '../helpers/shown/printed-words.ts';
import { remedyFor } from '../../runner/report/answer/statement.ts';
import { reported } from '../../runner/report/reported.ts';

describe('a refusal', () => {
  it('says once what cannot be concluded, why, and the remedy', async () => {
    const opened = await changedSample({}, ({ trials }) => {
      for (const trial of trials) {
        const finding = 'other programs took 62 % of this machine’s processors (node 1.05 processors)';
        trial.checks = [
          { id: 'other-programs', name: 'other programs', state: 'fail', finding, outside: 'other programs' },
        ];
      }
    });
    const { terminal } = await printedWords(opened);
    expect(terminal).toContain(
      'Nothing can be concluded in this start about with-log-volume against without-log-volume: other programs took 62 % of this machine’s processors (node 1.05 processors) (block-01-1-without-log-volume and 11 more of 12 trials). End them or use a dedicated machine, and measure again.',
    );
    expect(terminal.match(/62 %/g)).toHaveLength(1);
    expect(terminal.match(/other programs/g)).toHaveLength(1);
    expect(terminal.match(/measure again/g)).toHaveLength(1);
  });

  it.each(everyCheck.map((check) => [check.id, check] as const))(
    'for %s has a remedy',
    async (id, { name, remedy }) => {
      expect(remedy).toMatch(/^[A-Z].*\.$/);
      const result = await sampleResult();
      const [primary] = result.comparisons.filter((one) => one.primary);
      if (!primary) throw new Error('a sample without an answer');
      const failed = addChecks(primary, [{ id, name, state: 'fail', finding: 'found' }], []);
      expect(failed).toMatchObject({ verdict: null, withheldBy: [{ check: id, finding: 'found' }] });
      expect(remedyFor(failed)).toBe(remedy);
    },
  );

  it('because of a workload that differs says nothing of how much load was offered', () => {
    const remedyOf = (id: string) => checkById(id)?.remedy;
    expect(remedyOf('work')).toContain('Offer no more load');
    expect(remedyOf('workload')).toContain('same workload');
    expect(remedyOf('settings')).toContain('declare the difference');
    expect(new Set([remedyOf('work'), remedyOf('workload'), remedyOf('settings')]).size).toBe(3);
  });

  it('of a file without ids is read as one with them', async () => {
    const { result } = await changedSample({}, ({ trials }) =>
      trials.forEach((trial) => (trial.checks = [failedCheck])),
    );
    const text = JSON.stringify(result, (key, value: unknown) => {
      if (key === 'withheldBy') return undefined;
      return key === 'checks' ? (value as Check[]).map((check) => ({ ...check, id: undefined })) : value;
    });
    const read = parseVersioned(text, 'result.json', resultFile);
    const comparisons = withFailedChecks(read.comparisons, read.trials);
    expect(comparisons.find(({ primary }) => primary)).toMatchObject({ withheldBy: [{ check: 'clock' }] });
    expect(reported({ ...read, comparisons }).lead).toEqual(reported(result).lead);
  });

  it('of a trial that failed does not say that the run was interrupted', async () => {
    const opened = await changedSample({}, ({ trials }) => {
      for (const trial of trials.filter(({ block }) => block > 4)) {
        Object.assign(trial, { state: 'failed', measures: {}, failure: { stage: 'measure', error: 'no connection' } });
      }
    });
    for (const text of Object.values(await printedWords(opened))) {
      expect(text).toContain('Four of 12 planned trials have no result: 4 failed.');
      expect(text).not.toContain('interrupted or stopped');
    }
  });
});
