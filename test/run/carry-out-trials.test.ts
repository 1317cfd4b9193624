import { describe, expect, it } from 'vitest';
import { carryOutTrials, type Judgement } from '../../runner/run/carry-out-trials.ts';
import type { ExecutionEvent } from '../../runner/contract/run-event.ts';
import type { Execution } from '../../runner/run/execution.ts';
import { type MeasureStep, makePlan } from '../../runner/experiment/plan/plan.ts';
import type { Trial } from '../../runner/contract/result.ts';
import { trial, unfinishedTrial } from '../helpers/measured-trial.ts';
import { sampleResult } from '../helpers/sample-result.ts';

const definition = sampleResult({ blocks: 3, variants: { one: 1, two: 1 } }).experiment.definition;

/** Carries out three blocks of two variants; `outcomeOf` says what becomes of each trial, `finished` where it says nothing. */
function carryOut(
  outcomeOf: Record<string, 'failed' | 'invalid' | 'interrupted'> = {},
  {
    repeats = 2,
    earlier = [],
    isPreciseEnough = () => false,
  }: { repeats?: number; earlier?: Trial[]; isPreciseEnough?: Judgement['isPreciseEnough'] } = {},
) {
  const experiment = { ...definition, protocol: { ...definition.protocol, repeats } };
  const interruption = new AbortController();
  const saved: string[] = [];
  const events: ExecutionEvent[] = [];
  const execution = {
    plan: makePlan(experiment, 'full'),
    experiment,
    place: { targets: new Map() },
    store: {
      saveTrial: ({ id }: Trial) => {
        saved.push(id);
        return Promise.resolve();
      },
    },
    report: (event: ExecutionEvent) => events.push(event),
    signal: interruption.signal,
  } as unknown as Execution;
  const measure = (_: Execution, step: MeasureStep): Promise<Trial[]> =>
    Promise.resolve(
      step.trials.map((planned): Trial => {
        const outcome = outcomeOf[planned.id];
        if (outcome === 'interrupted') interruption.abort();
        return outcome === 'failed' || outcome === 'interrupted'
          ? { ...unfinishedTrial(planned.variant, step.block), ...planned, state: outcome }
          : { ...trial(planned.variant, step.block, { tps: 100 }), ...planned };
      }),
    );
  const result = carryOutTrials(
    execution,
    earlier,
    {
      check: ({ id }) => [{ name: 'clock', state: outcomeOf[id] === 'invalid' ? 'fail' : 'pass', finding: '' }],
      isPreciseEnough,
      onProgress: () => Promise.resolve(),
    },
    measure,
  );
  return result.then((outcome) => ({ ...outcome, saved, events, plan: execution.plan }));
}

const { steps } = makePlan(definition, 'full');
const ids = steps.flatMap((step) => (step.kind === 'measure' ? step.trials.map(({ id }) => id) : []));
const [first = '', second = '', third = ''] = ids;

describe('a plan that is carried out', () => {
  it('measures every trial once where nothing goes wrong', async () => {
    const { trials, complete, saved } = await carryOut();
    expect(trials.map(({ id }) => id)).toEqual(ids);
    expect(saved).toEqual(ids);
    expect(complete).toBe(true);
  });

  it.each(['failed', 'invalid'] as const)(
    'repeats the whole block of a trial that is %s, and keeps both',
    async (state) => {
      const { trials, complete, events } = await carryOut({ [second]: state });
      expect(trials.map(({ id }) => id)).toEqual([
        first,
        second,
        `${first}-repeat-2`,
        `${second}-repeat-2`,
        ...ids.slice(2),
      ]);
      expect(trials.map(({ attempt }) => attempt).slice(0, 5)).toEqual([undefined, undefined, 2, 2, undefined]);
      expect(complete).toBe(true);
      expect(events.filter(({ kind }) => kind === 'block-repeated')).toMatchObject([
        { block: 1, because: [{ id: second }] },
      ]);
    },
  );

  it('repeats no more blocks in all than the protocol allows', async () => {
    const failing = { [first]: 'failed', [`${first}-repeat-2`]: 'failed', [`${first}-repeat-3`]: 'failed' } as const;
    const { trials, complete } = await carryOut({ ...failing, [third]: 'failed' });
    expect(trials).toHaveLength(ids.length + 4);
    expect(complete).toBe(false);
    expect((await carryOut({ [first]: 'failed' }, { repeats: 0 })).trials).toHaveLength(ids.length);
  });

  it('ends where it is interrupted, without a repeat', async () => {
    const { trials, complete } = await carryOut({ [second]: 'interrupted' });
    expect(trials.map(({ id }) => id)).toEqual([first, second]);
    expect(complete).toBe(false);
  });

  it('takes what an earlier run finished, repeats too', async () => {
    const before = await carryOut({ [first]: 'failed', [third]: 'interrupted' });
    const { saved, complete } = await carryOut({ [first]: 'failed' }, { earlier: before.trials });
    // A trial that failed is tried anew; what was finished is not.
    expect(saved).toEqual([first, ...ids.slice(2)]);
    expect(complete).toBe(true);
  });

  it('stops after the block that makes it precise enough, and is complete then', async () => {
    const { trials, complete, stoppedAfterBlock } = await carryOut({}, { isPreciseEnough: (so) => so.length >= 4 });
    expect(trials.map(({ id }) => id)).toEqual(ids.slice(0, 4));
    expect(complete).toBe(true);
    expect(stoppedAfterBlock).toBe(2);
  });
});
