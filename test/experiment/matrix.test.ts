import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRun } from '../../runner/analysis/compare-run.ts';
import { climbLadders } from '../../runner/analysis/ladder/ladders.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { type MeasureStep, plannedTrials } from '../../runner/contract/plan.ts';
import { controlsOf, withBaseline } from '../../runner/experiment/groups.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { designOf, plannedContrasts } from '../../runner/experiment/plan/design.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { codesIn, folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { trial } from '../helpers/samples/measured-trial.ts';

const base = smallExperiment();
const memory = {
  memory: {
    small: { engine: { parameters: { work_mem: '4MB' } } },
    large: { engine: { parameters: { work_mem: '64MB' } } },
  },
};

function load(changes: object): Experiment {
  return loadExperiment('small', {
    folder: folderWithExperiment('small', { ...base, ...changes }),
    seed: 1,
  }).experiment;
}

describe('a matrix', () => {
  it('multiplies the variants by its values, with a baseline for each group', () => {
    const experiment = load({ matrix: memory });
    expect(Object.keys(experiment.variants)).toEqual(['a-small', 'b-small', 'a-large', 'b-large']);
    expect(experiment.variants['b-large']).toMatchObject({
      dedicatedLogVolume: true,
      engine: { parameters: { work_mem: '64MB' } },
    });
    expect(experiment.groups).toEqual([
      { name: 'small', values: { memory: 'small' }, baseline: 'a-small', variants: ['a-small', 'b-small'] },
      { name: 'large', values: { memory: 'large' }, baseline: 'a-large', variants: ['a-large', 'b-large'] },
    ]);
  });

  it('takes every combination of several axes, and a value that changes nothing', () => {
    const experiment = load({
      matrix: { ...memory, jit: { on: null, off: { engine: { parameters: { jit: false } } } } },
    });
    expect(experiment.groups?.map(({ name }) => name)).toEqual(['small-on', 'small-off', 'large-on', 'large-off']);
    expect(experiment.variants['a-large-off']?.engine.parameters).toMatchObject({ work_mem: '64MB', jit: false });
    expect(experiment.variants['a-large-on']?.engine.parameters).toMatchObject({ work_mem: '64MB' });
  });

  it('is added by a profile, and leaves the file as it is without it', () => {
    const folder = folderWithExperiment('small', { ...base, profiles: { memories: { matrix: memory } } });
    const groupsWith = (profile: string) => loadExperiment('small', { folder, profile }).experiment.groups;
    expect(groupsWith('memories')).toHaveLength(2);
    expect(groupsWith('full')).toBeUndefined();
  });

  it('is compared by group: every candidate with the baseline of its own, all judged together', () => {
    const experiment = load({ matrix: memory, protocol: { blocks: 7 } });
    expect(plannedContrasts(experiment)).toEqual([
      { baseline: 'a-small', candidate: 'b-small', level: { group: 'small' } },
      { baseline: 'a-large', candidate: 'b-large', level: { group: 'large' } },
    ]);
    expect(designOf(experiment).comparisons).toBe(2);
    const trials = [1, 2, 3, 4, 5, 6, 7].flatMap((block) => [
      trial('a-small', block, { tps: 100 + block }, { level: { group: 'small' } }),
      trial('b-small', block, { tps: 2 * (100 + block) }, { level: { group: 'small' } }),
      trial('a-large', block, { tps: 1000 + block }, { level: { group: 'large' } }),
      trial('b-large', block, { tps: 3 * (1000 + block) }, { level: { group: 'large' } }),
    ]);
    const facts = {
      name: 'small',
      question: '?',
      profile: 'full',
      baseline: 'a-small',
      seed: 1,
      definition: experiment,
    };
    const { comparisons } = compareRun({ experiment: facts, trials, steps: [] }, { decision: experiment.decision });
    const primary = comparisons.filter((comparison) => comparison.primary);
    expect(primary.map(({ candidate, change, verdict }) => [candidate.variant, change?.toFixed(6), verdict])).toEqual([
      ['b-small', '1.000000', 'better'],
      ['b-large', '2.000000', 'better'],
    ]);
  });

  it('describes the contrasts of the file within each group', () => {
    const variants = { ...base.variants, c: {} };
    const { contrasts } = load({ variants, matrix: memory, contrasts: [{ candidate: 'b', baseline: 'c' }] });
    expect(contrasts).toEqual([
      { candidate: 'b-small', baseline: 'c-small' },
      { candidate: 'b-large', baseline: 'c-large' },
    ]);
  });

  it('knows a control in each group', () => {
    const experiment = load({ variants: { ...base.variants, again: {} }, matrix: memory });
    expect(controlsOf(experiment)).toEqual(['again-small', 'again-large']);
  });

  it('leaves only the group of another baseline that is chosen after the run', () => {
    const other = withBaseline(load({ matrix: memory }), 'b-large');
    expect(plannedContrasts(other)).toEqual([{ baseline: 'b-large', candidate: 'a-large', level: { group: 'large' } }]);
  });

  it('has a ladder of each group, of its variants alone', () => {
    const experiment = load({ matrix: memory, workload: { ...base.workload, clients: [2, 4] } });
    const found = climbLadders(experiment, []).map(({ conditions, variants }) => [
      conditions,
      variants.map(({ variant }) => variant),
    ]);
    expect(found).toEqual([
      [{ group: 'small' }, ['a-small', 'b-small']],
      [{ group: 'large' }, ['a-large', 'b-large']],
    ]);
  });

  it('is planned so that each block holds every variant once at each level, those of a group one after the other', () => {
    const experiment = load({ matrix: memory, workload: { ...base.workload, clients: [2, 4] } });
    const firsts = new Set<string>();
    fc.assert(
      fc.property(fc.nat(0xffffffff), (seed) => {
        const plan = makePlan({ ...experiment, protocol: { ...experiment.protocol, seed } }, 'full');
        const trials = plannedTrials(plan);
        expect(new Set(trials.map(({ id }) => id)).size).toBe(trials.length);
        for (let block = 1; block <= plan.blocks; block++) {
          const own = trials.filter((one) => one.block === block).map(({ conditions }) => conditions);
          expect(own).toHaveLength(8);
          expect(new Set(own.map((conditions) => JSON.stringify(conditions))).size).toBe(8);
          for (let at = 0; at < own.length; at += 2) {
            const [one, other] = [own[at], own[at + 1]];
            expect([one?.['group'], one?.['clients']]).toEqual([other?.['group'], other?.['clients']]);
            expect(new Set([one?.variant, other?.variant]).size).toBe(2);
            expect(one?.variant.endsWith(`-${one['group']}`)).toBe(true);
          }
          firsts.add(own[0]?.variant ?? '');
        }
      }),
    );
    expect(firsts.size).toBe(4);
  });

  it('measures all variants of a group at the same time with order: together', () => {
    const { steps } = makePlan(load({ matrix: memory, protocol: { order: 'together' } }), 'full');
    const measured = steps.filter((step): step is MeasureStep => step.kind === 'measure');
    expect(measured.slice(0, 2).map(({ trials }) => trials.map(({ conditions }) => conditions.variant))).toEqual([
      ['a-small', 'b-small'],
      ['a-large', 'b-large'],
    ]);
  });
});

describe('a wrong matrix', () => {
  it.each<[what: string, changes: object, problem: string]>([
    ['without axes', { matrix: {} }, 'wrong-value matrix'],
    ['with a list', { matrix: { class: ['large'] } }, 'wrong-value matrix.class'],
    ['with a name that conditions have', { matrix: { replica: { one: null } } }, 'wrong-key matrix.replica'],
    ['with a value that is no name', { matrix: { class: { 'Big One': null } } }, 'wrong-key matrix.class.Big One'],
    ['with a value that is no map', { matrix: { class: { large: 4 } } }, 'wrong-value matrix.class.large'],
    ['of an unknown baseline', { matrix: memory, baseline: 'z' }, 'variant-name baseline'],
    [
      'of an unknown contrast',
      { matrix: memory, contrasts: [{ candidate: 'z', baseline: 'a' }] },
      'variant-name contrasts.0.candidate',
    ],
    ['with groups of its own', { groups: [] }, 'unknown-key groups'],
    [
      'of which a value has a mistake',
      { matrix: { memory: { small: null, large: { engine: { parameter: {} } } } } },
      'unknown-key matrix.memory.large.engine.parameter',
    ],
    [
      'of a variant that has a mistake',
      { variants: { a: {}, b: { dedicatedLogVolum: true } }, matrix: memory },
      'unknown-key variants.b.dedicatedLogVolum',
    ],
  ])('%s is refused once, with its place', (_, changes, problem) => {
    expect(codesIn({ ...base, ...changes })).toEqual([problem]);
  });
});
