import { describe, expect, it } from 'vitest';
import { addChecks, withFailedChecks } from '../../runner/analysis/validity/judge-validity.ts';
import type { WithheldReason } from '../../runner/contract/withheld.ts';
import { checkById, everyCheck } from '../../runner/analysis/validity/registry.ts';
import type { Check } from '../../runner/contract/check.ts';
import { resultFile } from '../../runner/contract/result.ts';
import { parseVersioned } from '../../runner/contract/versioned-file.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { remedyFor } from '../../runner/report/answer/statement.ts';
import { reported } from '../../runner/report/reported.ts';

describe('a refusal', () => {
  it.each(everyCheck.map((check) => [check.id, check] as const))(
    'for %s has a remedy',
    async (id, { name, remedy }) => {
      expect(remedy).toMatch(/^[A-Z].*\.$/);
      const result = await sampleResult();
      const [primary] = result.comparisons.filter((one) => one.primary);
      if (!primary) throw new Error('a sample without an answer');
      const failed = addChecks(primary, [{ id, name, state: 'fail', finding: 'found' }], []);
      expect(failed).toMatchObject({ verdict: null, withheld: [{ id, trial: null }] });
      expect(remedyFor(failed)).toBe(remedy);
    },
  );

  it('because of a workload that differs says nothing of how much load was offered', () => {
    expect(new Set(['work', 'workload', 'settings'].map((id) => checkById(id)?.remedy)).size).toBe(3);
  });

  it('of a file without ids is read as one with them', async () => {
    const { result } = await changedSample({}, ({ trials }) =>
      trials.forEach((trial) => (trial.checks = [failedCheck])),
    );
    const text = JSON.stringify(result, (key, value: unknown) => {
      if (key === 'withheld') return (value as WithheldReason[]).map(({ message }) => message);
      return key === 'checks' ? (value as Check[]).map(earlierCheck) : value;
    });
    const read = parseVersioned(text, 'result.json', resultFile);
    const comparisons = withFailedChecks(read.comparisons, read.trials);
    expect(comparisons.find(({ primary }) => primary)).toMatchObject({ withheld: [{ id: 'clock' }] });
    expect(withoutNames(reported({ ...read, comparisons }).lead)).toEqual(withoutNames(reported(result).lead));
  });
});

/** Names may have changed since. */
function withoutNames(lead: object): unknown {
  return JSON.parse(JSON.stringify(lead, (key, value: unknown) => (key === 'name' ? undefined : value)));
}

/** As an earlier version wrote it: the name alone, of which the id was made. */
function earlierCheck({ id, ...check }: Check): Omit<Check, 'id'> {
  return { ...check, name: id.replaceAll('-', ' ') };
}
