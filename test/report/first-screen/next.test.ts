import { describe, expect, it } from 'vitest';
import { addChecks } from '../../../runner/analysis/validity/judge-validity.ts';
import { checkById, everyCheck } from '../../../runner/analysis/validity/registry.ts';
import type { Result } from '../../../runner/contract/result.ts';
import { withheldMeanings } from '../../../runner/contract/withheld.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { placeOf } from '../../../runner/places/registry.ts';
import { nextOf } from '../../../runner/report/first-screen/next.ts';
import { sampleResult } from '../../helpers/samples/sample-result.ts';
import { project } from '../../helpers/synthesize.ts';

const commands = { location: 'results/quick/latest', resume: 'resume', repeat: 'repeat' };
const answered = { words: '', command: 'answered' };
const commandAfter = (result: Result): string => nextOf(result, commands, answered).command;

async function withheldBy(id: string): Promise<Result> {
  const result = await sampleResult();
  return {
    ...result,
    comparisons: result.comparisons.map((one) =>
      one.primary
        ? checkById(id)
          ? addChecks(one, [{ id, name: id, state: 'fail', finding: 'found' }], [])
          : { ...one, verdict: 'descriptive', withheld: [{ id, message: 'found', trial: null }] }
        : one,
    ),
  };
}

const reasons = [...everyCheck.map((check) => [check.id, check] as const), ...Object.entries(withheldMeanings)];

describe('the next command after a run without a verdict', () => {
  it.each(reasons.map(([id, meaning]) => [id, 'needsEdit' in meaning && meaning.needsEdit === true] as const))(
    'because of %s begins with a copy of the experiment only if that must change',
    async (id, needsEdit) => {
      const copy = 'npx --no-install pgduet init quick-2 --from results/quick/latest';
      expect(commandAfter(await withheldBy(id))).toBe(needsEdit ? copy : 'repeat');
    },
  );
});

it.each([
  [30, 'results/quick/latest', 'plan results/quick/latest --local --pilot results/quick/latest'],
  [30, 's3://bucket/quick/', 'report s3://bucket/quick/'],
  [576, 'results/quick/latest', 'init quick-2 --from results/quick/latest'],
])('the next command where %d blocks would settle %s is %s', async (blocksToSettle, location, command) => {
  const { comparisons, ...result } = await sampleResult();
  const open = comparisons.map((one) => ({ ...one, verdict: 'inconclusive' as const, blocksToSettle }));
  const next = nextOf({ ...result, comparisons: open }, { ...commands, location }, answered);
  expect(next.command).toBe(`npx --no-install pgduet ${command}`);
});

describe('the next command after a verdict', () => {
  it('leads to RDS where a log volume was asked about, with one load or with several', async () => {
    const one = await sampleResult();
    const { comparisons } = one;
    const atFour = comparisons.map((comparison) => ({ ...comparison, conditions: { clients: 4 } }));
    for (const result of [one, { ...one, comparisons: [...comparisons, ...atFour] }]) {
      const [name = ''] = /(?<= plan )\S+$/.exec(commandAfter(result)) ?? [];
      const { experiment } = loadExperiment(name, { folder: project, seed: 1 });
      expect(placeOf(experiment).isDeployed).toBe(true);
      expect(Array.isArray(experiment.workload['clients'])).toBe(result !== one);
    }
  });

  it('is that of the caller where variants differ in something else', async () => {
    const result = await sampleResult();
    for (const variant of Object.values(result.experiment.definition.variants)) variant.dedicatedLogVolume = false;
    expect(commandAfter(result)).toBe('answered');
  });
});
