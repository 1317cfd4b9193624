import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { drawBlocks, drawOrders } from '../../runner/experiment/plan/draws.ts';
import { type Plan, plannedTrials } from '../../runner/contract/plan.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { variantWarnings } from '../../runner/experiment/rules/variant-rules.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const project = path.resolve(import.meta.dirname, '../..');

function planOf(name: string, profile?: string) {
  const loaded = loadExperiment(name, { folder: project, profile });
  return makePlan(loaded.experiment, loaded.profile, loaded.warnings);
}

describe('study 1 as published', () => {
  const plan = planOf('dlv-pgbench', 'published');

  test('32 million transactions per variant, half of each script, both variants at once', () => {
    expect(plan.transactionsPerTrial).toBe(32_000_000);
    expect(plan.workload).toContainEqual(['scripts', 'half tpcb-like, half simple-update']);
    const measure = plan.steps.filter((step) => step.kind === 'measure');
    expect(measure.map(({ trials }) => trials.map(({ conditions }) => conditions))).toEqual([
      [{ variant: 'without-dlv' }, { variant: 'with-dlv' }],
    ]);
  });

  test('ten minutes to settle, and the published 77 minutes of the slower variant', () => {
    expect(plan.steps.find((step) => step.kind === 'settle')).toEqual({ kind: 'settle', expectedSeconds: 600 });
    const measure = plan.steps.find((step) => step.kind === 'measure');
    expect((measure?.trialSeconds ?? 0) / 60).toBeCloseTo(76.4, 1);
  });

  test('claims nothing, and says so', () => {
    expect(plan.warnings.map(({ message }) => message)).toEqual([
      'This run cannot reach a verdict: all variants run at the same time, so the order is not random.',
      expect.stringMatching(
        /^protocol\.blocks is 1: .* Set it to 6 or more: fewer blocks are only described, without a verdict\.$/,
      ),
    ]);
    expect(plan.claims).toMatchObject({ scope: 'these-instances', obstacles: [{ id: expect.any(String) as string }] });
  });
});

test.each(['local', 'folders'])('quick is over in less than four minutes, with profile %s', (profile) => {
  expect(planOf('quick', profile).expectedSeconds).toBeLessThan(235);
});

test('what the variants differ in is listed with every value, that of a missing key, too', () => {
  const onVolumes = [{ variants: ['without-log-volume'] }, { variants: ['with-log-volume'] }];
  const differing = (property: string, ...values: unknown[]): unknown => ({
    property,
    values: values.map((value, index) => ({ value, ...onVolumes[index] })),
  });
  expect(planOf('quick').differences).toEqual([
    differing('storage.iops', 600, 400),
    differing('dedicatedLogVolume', false, true),
    differing('storage.logVolumeIops', null, 200),
  ]);
  expect(planOf('version-upgrade').differences.map(({ property }) => property)).toEqual(['engine.version']);
  expect(planOf('own-data').differences.map(({ property }) => property)).toEqual(['synchronous_commit']);
  expect(planOf('wal-placement').differences[0]?.values).toContainEqual({
    value: 6000,
    variants: ['four-disks', 'four-disks-no-delay', 'four-and-two'],
  });
});

test('versions that every variant declares are the question, and no doubt; a version that is left open is one', () => {
  const about = (warnings: readonly string[]) => warnings.filter((warning) => warning.includes('engine version'));
  expect(about(planOf('version-upgrade').warnings.map(({ message }) => message))).toEqual([]);
  const engine = (version?: string) => ({ engine: { parameters: {}, ...(version !== undefined && { version }) } });
  const variants = (one?: string, other?: string) =>
    variantWarnings([
      ['one', engine(one)],
      ['other', engine(other)],
    ]);
  expect(about(variants('15', '17'))).toEqual([]);
  expect(about(variants('15'))).toEqual([
    'The variants have different engine versions: 15, installed. Give each its engine.version.',
  ]);
});

test('variants that promise less than others are named, with what a crash costs', () => {
  const less = (name: string): string[] =>
    planOf(name)
      .warnings.map(({ message }) => message)
      .filter((warning) => warning.startsWith('Less durable'));
  expect(less('own-data')).toEqual([
    'Less durable: does-not-wait. With synchronous_commit off, a crash can lose commits from the last three wal_writer_delay intervals (0.6 s by default).',
  ]);
  expect(less('quick')).toEqual([]);
});

/** The plan of an experiment of two variants, from its own file. */
function planOfTwo(variants: { one: object; other: object }, more: { seconds?: number; metric?: string } = {}): Plan {
  const file = path.join(temporaryFolder(), 'two.yaml');
  const experiment = {
    name: 'two',
    question: 'Does it matter?',
    variants,
    baseline: 'one',
    workload: { tool: 'pgbench', scale: 1, clients: 2, threads: 1, durationSeconds: more.seconds ?? 10 },
    protocol: { blocks: 6 },
    decision: { metric: more.metric ?? 'tps' },
  };
  writeFileSync(file, JSON.stringify(experiment));
  const loaded = loadExperiment(file, { folder: project });
  return makePlan(loaded.experiment, loaded.profile, loaded.warnings);
}

describe('two variants', () => {
  const planWith = (parameter: string, [one, other]: [string, string], standbys: number): Plan => {
    const variant = (value: string): object => ({
      storage: { type: 'local', standbys },
      engine: { parameters: { [parameter]: value } },
    });
    return planOfTwo({ one: variant(one), other: variant(other) });
  };

  test.each([
    ['max_wal_size', '1GB', '1024MB'],
    ['fsync', 'on', 'true'],
    ['synchronous_commit', 'on', 'yes'],
  ])('do not differ if %s is %s in one and %s in the other', (parameter, one, other) => {
    const plan = planWith(parameter, [one, other], 0);
    expect(plan.differences).toEqual([]);
    expect(plan.warnings.map(({ message }) => message)).toContain(
      'The variants one and other are identical, so a run only shows how much identical servers vary.',
    );
  });

  test('with standbys differ in durability if only one waits for them', () => {
    expect(planWith('synchronous_commit', ['local', 'on'], 2).warnings.map(({ message }) => message)).toContain(
      'Less durable: one. With synchronous_commit local, no commit waits for a standby, so a failover can lose commits.',
    );
    expect(
      planWith('synchronous_commit', ['remote_write', 'remote_apply'], 2).warnings.map(({ message }) => message),
    ).toContainEqual(expect.stringMatching(/^Less durable: one\. With synchronous_commit remote_write, /));
    expect(
      planWith('synchronous_commit', ['local', 'on'], 0)
        .warnings.map(({ message }) => message)
        .join(),
    ).not.toContain('Less durable');
    const alone = { storage: { type: 'local' } };
    const beside = {
      storage: { type: 'local', standbys: 1 },
      engine: { parameters: { synchronous_commit: 'local' } },
    };
    expect(
      planOfTwo({ one: alone, other: beside })
        .warnings.map(({ message }) => message)
        .join(),
    ).not.toContain('Less durable');
  });
});

test('TPS in slow seconds decides nothing in trials that are too short to have them', () => {
  const variant = { storage: { type: 'local' } };
  const obstacles = (seconds: number): readonly string[] =>
    planOfTwo({ one: variant, other: variant }, { metric: 'tps.p10', seconds }).claims.obstacles.map(
      ({ message }) => message,
    );
  expect(obstacles(5)).toEqual([]);
  expect(obstacles(4)).toEqual(['trials of 4 s are too short for TPS in slow seconds; use at least 5 s']);
});

test('nothing is listed where all variants are equal but for their descriptions', () => {
  expect(planOf('a-a').differences).toEqual([]);
});

test('a trial of unknown speed has no expected duration, nor has its plan', () => {
  const loaded = loadExperiment('dlv-pgbench', { folder: project, profile: 'published' });
  const { expectedTps, ...workload } = loaded.experiment.workload;
  expect(expectedTps).toBe(6984);
  expect(makePlan({ ...loaded.experiment, workload }, 'published').expectedSeconds).toBeNull();
});

describe('orders', () => {
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 2 });
  const design = fc.record({ variants: names, blocks: fc.integer({ min: 1, max: 40 }), seed: fc.nat(0xffffffff) });

  test('every block holds every variant once', () => {
    fc.assert(
      fc.property(
        design,
        fc.constantFrom('random' as const, 'fixed' as const, 'together' as const),
        ({ variants, ...rest }, order) => {
          const orders = drawOrders(variants, { ...rest, order });
          expect(orders).toHaveLength(rest.blocks);
          for (const block of orders) expect(block.flat().sort()).toEqual([...variants].sort());
        },
      ),
    );
  });

  test('random orders are drawn block by block: over the seeds, every course of an experiment is as likely as any other', () => {
    const count = (names: readonly string[], blocks: number, courses: number): void => {
      const seeds = 400 * courses;
      const tally = new Map<string, number>();
      for (let seed = 0; seed < seeds; seed++) {
        const course = JSON.stringify(drawOrders(names, { blocks, order: 'random', seed: seed * 7 }));
        tally.set(course, (tally.get(course) ?? 0) + 1);
      }
      expect(tally.size).toBe(courses);
      // Five standard deviations of a count.
      for (const times of tally.values()) expect(Math.abs(times - 400)).toBeLessThan(100);
    };
    count(['a', 'b'], 6, 2 ** 6);
    count(['a', 'b', 'c'], 2, 6 ** 2);
  });

  test('for any two of several variants, which of them comes first is a fair coin in every block, whatever came before', () => {
    const variants = ['a', 'b', 'c', 'd'];
    const [blocks, seeds] = [4, 6400];
    for (const [one, other] of [['a', 'b'] as const, ['a', 'd'] as const, ['c', 'b'] as const]) {
      const tally = new Map<string, number>();
      for (let seed = 0; seed < seeds; seed++) {
        const orders = drawOrders(variants, { blocks, order: 'random', seed });
        const coins = orders.map((block) => (block.flat().indexOf(one) < block.flat().indexOf(other) ? 1 : 0)).join('');
        tally.set(coins, (tally.get(coins) ?? 0) + 1);
      }
      expect(tally.size).toBe(2 ** blocks);
      // Five standard deviations of a count.
      for (const times of tally.values()) expect(Math.abs(times - 400)).toBeLessThan(100);
    }
  });

  test('a block is drawn by itself: how many follow does not change it', () => {
    fc.assert(
      fc.property(design, fc.nat(20), ({ variants, blocks, seed }, more) => {
        const draw = (count: number) => drawOrders(variants, { blocks: count, order: 'random', seed });
        expect(draw(blocks + more).slice(0, blocks)).toEqual(draw(blocks));
      }),
    );
  });

  test('at several levels every block holds each variant once at each, and at a level they follow one another', () => {
    const levels = [8, 16, 32].map((clients) => ({ clients }));
    fc.assert(
      fc.property(design, ({ variants, ...rest }) => {
        for (const block of drawBlocks(() => variants, levels, { ...rest, order: 'random' })) {
          const inTurn = block.flat();
          const parts = levels.map((_, index) => inTurn.slice(index * variants.length, (index + 1) * variants.length));
          for (const part of parts) {
            expect(new Set(part.map(({ clients }) => clients)).size).toBe(1);
            expect(part.map(({ variant }) => variant).sort()).toEqual([...variants].sort());
          }
          expect(new Set(parts.map(([first]) => first?.['clients']))).toEqual(new Set([8, 16, 32]));
        }
      }),
    );
  });

  test('the same seed gives the same order, and seeds differ', () => {
    const draw = (seed: number) => JSON.stringify(drawOrders(['a', 'b'], { blocks: 20, order: 'random', seed }));
    expect(draw(7)).toBe(draw(7));
    expect(new Set(Array.from({ length: 20 }, (_, seed) => draw(seed))).size).toBeGreaterThan(10);
  });
});

test('trial ids are unique, and sorting them gives the order of the plan', () => {
  const ids = plannedTrials(planOf('dlv-pgbench')).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});

describe('replicas', () => {
  const { experiment } = loadExperiment('dlv-pgbench', { folder: project });
  const replicated = (replicas: number, workload: object = {}): Plan =>
    makePlan(
      {
        ...experiment,
        protocol: { ...experiment.protocol, replicas },
        workload: { ...experiment.workload, ...workload },
      },
      'full',
    );

  test('every block measures both variants of each pair of instances, one right after the other', () => {
    const trials = plannedTrials(replicated(3));
    expect(trials).toHaveLength(3 * 2 * 6);
    for (let index = 0; index < trials.length; index += 2) {
      const [one, other] = trials.slice(index, index + 2);
      expect(other?.block).toBe(one?.block);
      expect(other?.conditions['replica']).toBe(one?.conditions['replica']);
      expect([one?.conditions.variant, other?.conditions.variant].sort()).toEqual(['with-dlv', 'without-dlv']);
    }
    const first = trials.filter(({ block }) => block === 1).map(({ conditions }) => conditions['replica']);
    expect([...first].sort()).toEqual([1, 1, 2, 2, 3, 3]);
  });

  test('are measured at every number of clients', () => {
    expect(replicated(2, { clients: [8, 16] }).levels).toEqual([
      { replica: 1, clients: 8 },
      { replica: 1, clients: 16 },
      { replica: 2, clients: 8 },
      { replica: 2, clients: 16 },
    ]);
  });

  test('have trials of their own, in the order of their ids', () => {
    const ids = plannedTrials(replicated(12)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    expect(ids.filter((id) => id.endsWith('-replica-12-with-dlv'))).toHaveLength(6);
  });

  test('of a variant are loaded at the same time, the variants one after another', () => {
    const seconds = [1, 3].map((replicas) => {
      const load = replicated(replicas).steps.find(({ kind }) => kind === 'load');
      return load?.expectedSeconds;
    });
    // 1,000 million rows, 907,000 a second, for each of two variants.
    expect(seconds.map((one) => Math.round(one ?? 0))).toEqual([2205, 2205]);
  });

  test('are nowhere in the plan where each variant has one instance', () => {
    const { levels } = replicated(1);
    expect(levels).toEqual([{}]);
    expect(JSON.stringify(replicated(1).steps)).not.toContain('replica');
  });
});

describe('data that is loaded once', () => {
  const planWith = (data: object, profile = 'full') => {
    const { experiment } = loadExperiment('dlv-pgbench', { folder: project, profile });
    return makePlan({ ...experiment, data: { keep: false, ...data } }, profile);
  };
  const kinds = ({ steps }: Plan) => [...new Set(steps.map(({ kind }) => kind))];

  test('is kept after it has settled, and before the first trial', () => {
    const plan = planWith({ keep: true });
    expect(kinds(plan)).toEqual(['create', 'load', 'settle', 'snapshot', 'measure']);
    expect(plan.steps.find(({ kind }) => kind === 'snapshot')).toMatchObject({ variants: ['without-dlv'] });
    expect(plan.assumptions).toContainEqual(expect.stringMatching(/^making the snapshot at .* \(a guess/));
  });

  test('is touched instead of loaded where it comes from a snapshot: all servers at once', () => {
    const plan = planWith({ snapshot: 'pgduet-dlv-pgbench-alice-20261121-064459' });
    expect(kinds(plan)).toEqual(['create', 'touch', 'settle', 'measure']);
    // 151 GB at 130 MB a second.
    expect(plan.steps.find(({ kind }) => kind === 'touch')?.expectedSeconds).toBeCloseTo(151e3 / 130, 0);
    expect(plan.assumptions).toContainEqual(expect.stringMatching(/^touching 130 MB per second \(.*re:Post/));
    expect(plan.assumptions.join()).not.toContain('loading');
  });

  test('is loaded on this machine, whatever a deploy would do', () => {
    expect(kinds(planWith({ snapshot: 'kept' }, 'local'))).toEqual(['create', 'load', 'measure']);
    expect(kinds(planWith({ keep: true }, 'local'))).toEqual(['create', 'load', 'measure']);
  });
});

test('every assumption of time says who says so, or that it is a guess', () => {
  for (const profile of ['full', 'crossover']) {
    for (const assumption of planOf('dlv-pgbench', profile).assumptions) expect(assumption).toMatch(/ \(.+\)$/);
  }
  expect(planOf('dlv-pgbench', 'crossover').assumptions).toContain(
    '30 minutes to exchange the log volumes (a guess: AWS publishes no time)',
  );
});

test.each([
  ['crossover', 3, 18],
  ['one-exchange', 1, 12],
])('the profile %s plans the time of its exchanges, %i, each with a rest behind it', (profile, exchanges, blocks) => {
  const { steps, expectedSeconds } = planOf('dlv-pgbench', profile);
  const first = steps.findIndex(({ kind }) => kind === 'measure');
  const between = steps.slice(first).filter(({ kind }) => kind !== 'measure');
  expect(between.map(({ kind }) => kind)).toEqual(Array(exchanges).fill(['cross-over', 'settle']).flat());
  expect(steps.slice(first)).toHaveLength(2 * blocks + between.length);
  const others = steps.filter((step, index) => index < first || step.kind === 'measure');
  const known = others.reduce((sum, step) => sum + (step.expectedSeconds ?? NaN), 0);
  expect((expectedSeconds ?? NaN) - known).toBeCloseTo(exchanges * (1800 + 600), 6);
});
