import { expect, it } from 'vitest';
import { movableIn } from '../../runner/analysis/movable.ts';
import { reported } from '../../runner/report/reported.ts';
import { checkedSubjects } from '../../runner/report/checked-subjects.ts';
import { evidenceTable } from '../../runner/report/sections/evidence.ts';
import { isOfWrites } from '../../runner/metrics/evidence-groups.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { readingSample } from '../helpers/samples/reading-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

it('a load that only reads moves no WAL, checkpoints and recovery, as the tool says or as was measured', async () => {
  const { result: declared } = await changedSample({}, ({ run }) => {
    run.experiment.definition.workload['scripts'] = [{ builtin: 'select-only', weight: 1 }];
  });
  const { result: measured } = await readingSample();
  for (const result of [declared, measured]) {
    const movable = movableIn(result);
    expect(movable.writes).toBe(false);
    for (const name of ['wal.bytes', 'checkpoints.timed', 'debt.recoverySeconds', 'walVolume.limitReached'])
      expect(movable.metric(name)).toBe(false);
    expect(movable.metric('database.temporaryBytes')).toBe(true);
    expect(movable.check('checkpoint-cycle')).toBe(false);
    expect(movable.check('warm-up')).toBe(true);
  }
  expect(movableIn(await sampleResult()).writes).toBe(true);
});

it('a report shows nothing of what the load cannot move, but a check that failed', async () => {
  const opened = await changedSample({}, ({ run, trials }) => {
    run.experiment.definition.workload['scripts'] = [{ builtin: 'select-only', weight: 1 }];
    for (const trial of trials)
      trial.checks = [{ id: 'checkpoint-cycle', name: 'checkpoint cycle', state: 'pass', finding: 'whole ones' }];
  });
  const { result, counted } = reported(opened.result);
  expect(result.comparisons.filter(({ metric }) => isOfWrites({ name: metric }))).toEqual([]);
  const groups = evidenceTable(result, counted).rows.map(({ group }) => group);
  expect(groups).not.toContain('WAL');
  expect(groups).not.toContain('Checkpoints and buffers');
  expect(checkedSubjects(result, counted).map(({ id }) => id)).not.toContain('checkpoint-cycle');
  const [one] = result.trials;
  if (one) one.checks = [{ id: 'checkpoint-cycle', name: 'checkpoint cycle', state: 'fail', finding: 'half of one' }];
  expect(checkedSubjects(result, counted).map(({ id }) => id)).toContain('checkpoint-cycle');
});
