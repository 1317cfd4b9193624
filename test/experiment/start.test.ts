import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../runner/contract/start.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { designWarnings, planStart } from '../../runner/experiment/plan/start.ts';
import { questionOf } from '../../runner/experiment/question.ts';
import { allowedError } from '../../runner/statistics/spending.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const load = (name: string, profile: string) =>
  loadExperiment(name, { folder: process.cwd(), profile, seed: 1 }).experiment;
const quick = load('quick', 'local');

/** Plans one start after another, each with what those before have spent. */
function seriesOf(experiment: typeof quick, count: number) {
  const outcomes: Outcome[] = [];
  let spent = 0;
  return Array.from({ length: count }, () => {
    const planned = planStart(experiment, { opened: outcomes.length, outcomes: [...outcomes], spent });
    if (!planned) throw new Error('it has no verdicts');
    outcomes.push('inconclusive');
    spent += planned.start.share;
    return { ...planned.start, blocks: planned.experiment.protocol.blocks };
  });
}

describe('the starts of a question', () => {
  test('begin with the level that six blocks have, and then take more blocks', () => {
    const starts = seriesOf(quick, 10);
    expect(starts.map(({ blocks }) => blocks)).toEqual([6, 8, 9, 10, 10, 11, 11, 12, 13, 14]);
    expect(starts[0]).toMatchObject({ number: 1, level: 1 - 1 / 32, others: [] });
    expect(starts.every(({ needed, blocks }) => needed <= blocks)).toBe(true);
    expect(starts.reduce((sum, { share }) => sum + share, 0)).toBeLessThan(1);
  });

  test('get no more than 24 blocks of their own accord, and spend nothing without a verdict', () => {
    const late = seriesOf(quick, 40);
    expect(Math.max(...late.map(({ blocks }) => blocks))).toBe(24);
    expect(late.at(-1)).toMatchObject({ blocks: 6, share: 0 });
    expect(late.at(-1)?.needed).toBeGreaterThan(24);
    const asked = { ...quick, protocol: { ...quick.protocol, blocks: 60 } };
    expect(planStart(asked, { opened: 0, outcomes: [], spent: 0.999_999_9 })).toMatchObject({ start: { asked: 60 } });
  });

  test('are still planned if a ledger says that everything is spent', () => {
    expect(planStart(quick, { opened: 1, outcomes: ['cut-off'], spent: 7 })).toMatchObject({
      start: { number: 2, asked: 6, share: 0 },
    });
  });

  test('are not counted for a design without verdicts', () => {
    expect(planStart(load('quick', 'smoke'), { opened: 0, outcomes: [], spent: 0 })).toBeNull();
  });

  const [baseline, candidate] = Object.values(quick.variants);
  /** With this many candidates, each of which differs from the others. */
  const withCandidates = (count: number, blocks = 6): typeof quick => {
    const others = Array.from({ length: count }, (_, index) => [
      `candidate-${index}`,
      { ...candidate, engine: { parameters: { work_mem: 64 + index } } },
    ]);
    const variants = { [quick.baseline]: baseline, ...Object.fromEntries(others) } as typeof quick.variants;
    return { ...quick, variants, protocol: { ...quick.protocol, blocks } };
  };

  test('get the blocks that all comparisons take together, if the experiment asks for enough for one', () => {
    const blocks = [1, 2, 3, 4, 12].map((count) => seriesOf(withCandidates(count), 1)[0]?.blocks);
    expect(blocks).toEqual([6, 7, 7, 8, 9]);
    for (const count of [1, 2, 3, 4, 12]) {
      expect(designWarnings(withCandidates(count))).toEqual([]);
      for (const { blocks: planned, needed, share } of seriesOf(withCandidates(count), 3)) {
        expect(planned).toBe(needed);
        expect(share).toBeGreaterThan(0);
      }
    }
  });

  test('stay short where the experiment asks for too few for any, which is said beforehand, with what to set', () => {
    expect(planStart(withCandidates(2, 5), { opened: 0, outcomes: [], spent: 0 })).toBeNull();
    expect(designWarnings(withCandidates(2, 5))).toEqual([
      'protocol.blocks is 5: a verdict on 2 comparisons needs 7 blocks. Set it to 7 or more: fewer blocks are only described, without a verdict.',
    ]);
  });

  test('never spend more than the error together, whatever the blocks, levels, families and looks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ comparisons: fc.integer({ min: 1, max: 12 }), looks: fc.boolean() }), { maxLength: 30 }),
        fc.double({ min: 0.001, max: 0.3, noNaN: true }),
        (starts, error) => {
          let spent = 0;
          for (const start of starts) {
            const allowed = allowedError({ error, spent, ...start });
            expect(allowed).toBeGreaterThan(0);
            expect(allowed).toBeLessThan(error);
            spent += allowed / error;
          }
          expect(spent).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe('a question', () => {
  const ask = (change: (experiment: typeof quick) => unknown): string => {
    const copy = structuredClone(quick);
    change(copy);
    return questionOf(copy, '').id;
  };
  const same = questionOf(quick, '').id;
  const [one = '', other = ''] = Object.keys(quick.variants);

  test.each<[what: string, change: (experiment: typeof quick) => unknown]>([
    ['words', (it) => (it.question += '!')],
    ['blocks', (it) => (it.protocol.blocks = 30)],
    ['seed', (it) => (it.protocol.seed = 2)],
    ['threshold', (it) => (it.decision.practicalThreshold = 0.1)],
    ['amount of load', (it) => Object.assign(it.workload, { scale: 9, clients: 2, durationSeconds: 60 })],
    ['description', (it) => Object.assign(it.variants[one] ?? {}, { description: 'another' })],
  ])('is the same whatever its %s', (_, change) => {
    expect(ask(change)).toBe(same);
  });

  test('is the same whatever the names and order of the variants, with or without an equal one', () => {
    const variants = { b: quick.variants[other], a: quick.variants[one], control: quick.variants[other] };
    expect(questionOf({ ...quick, variants: variants as typeof quick.variants }, '').id).toBe(same);
  });

  test.each<[what: string, change: (experiment: typeof quick) => unknown]>([
    ['metric', (it) => (it.decision.metric = 'latency.average')],
    ['difference', (it) => Object.assign(it.variants[one] ?? {}, { storage: { type: 'local', iops: 700 } })],
    ['script', (it) => Object.assign(it.workload, { scripts: [{ builtin: 'select-only', weight: 1 }] })],
  ])('is another with another %s', (_, change) => {
    expect(ask(change)).not.toBe(same);
  });

  test('is another with other statements, and the same wherever these are and however they are laid out', () => {
    const folder = temporaryFolder();
    const askedBy = (name: string, text: string): string => {
      writeFileSync(path.join(folder, name), text);
      const workload = { ...quick.workload, scripts: [{ file: name, weight: 1 }] };
      return questionOf({ ...quick, workload }, folder).id;
    };
    const first = askedBy('q.sql', 'SELECT count(*)\n  FROM pgbench_accounts;\n');
    expect(askedBy('q.sql', 'SELECT count(*) FROM pgbench_branches;\n')).not.toBe(first);
    expect(askedBy('r.sql', '-- slow\nSELECT count(*) FROM pgbench_accounts;')).toBe(first);
    expect(first).not.toBe(same);
  });

  test('is the same however a value is written', () => {
    const of = (size: string) =>
      questionOf(
        {
          ...quick,
          variants: {
            small: { ...quick.variants[one], engine: { parameters: { shared_buffers: '128MB' } } },
            large: { ...quick.variants[one], engine: { parameters: { shared_buffers: size } } },
          } as unknown as typeof quick.variants,
        },
        '',
      ).id;
    expect(of('1GB')).toBe(of('1024MB'));
    expect(of('1GB')).not.toBe(of('2GB'));
  });
});
