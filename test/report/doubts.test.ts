import { warningsOf } from '../../runner/contract/warnings.ts';
import { describe, expect, it } from 'vitest';
import { doubtDefinitions } from '../../runner/analysis/validity/doubts.ts';
import { everyCheck } from '../../runner/analysis/validity/registry.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { reported } from '../../runner/report/reported.ts';
import { effects } from '../../runner/contract/check.ts';

describe('doubts', () => {
  it('have ids, in report.json too, and a remedy for each: of the check that says so, or of their kind', async () => {
    const opened = await changedSample(
      { failedTrial: { block: 2, variant: 'with-log-volume' }, repeatedBlock: { block: 3, factor: 1.2 } },
      ({ run, trials }) => {
        for (const variant of Object.values(run.experiment.definition.variants)) variant.server = { service: 'one' };
        run.warnings = warningsOf('measurement', ['Somebody else was there.']);
        for (const trial of trials) {
          trial.warnings = warningsOf('measurement', ['The log was cut off.']);
          trial.checks = [...trial.checks, { id: 'clock', name: 'clock', state: 'warn', finding: 'set by 2 s' }];
        }
      },
    );
    const kinds = Object.values(doubtDefinitions);
    const { doubts } = reported(opened.result);
    const gravity = doubts.map(({ effect }) => effects.indexOf(effect));
    expect(gravity).toEqual(gravity.toSorted((one, other) => one - other));
    expect(new Set(doubts.map(({ id }) => id))).toEqual(new Set([...kinds.map(({ id }) => id), 'clock', 'blocks']));
    for (const { remedy } of [...kinds, ...everyCheck]) expect(remedy).toMatch(/^[A-Z].*\.$/);
    const ids = [...kinds, ...everyCheck].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('say nothing of checkpoints where the load only reads', async () => {
    const doubtsWith = async (builtin: string): Promise<string[]> => {
      const { result } = await changedSample({}, ({ run, trials }) => {
        run.experiment.definition.workload['scripts'] = [{ builtin, weight: 1 }];
        for (const trial of trials)
          trial.checks = [
            { id: 'checkpoint-cycle', name: 'checkpoint cycle', state: 'warn', finding: 'half of a cycle' },
          ];
      });
      return reported(result).doubts.map(({ id }) => id);
    };
    expect(await doubtsWith('simple-update')).toContain('checkpoint-cycle');
    expect(await doubtsWith('select-only')).not.toContain('checkpoint-cycle');
  });
});
