import { claimsOf } from '../../runner/analysis/claims.ts';
import { compareTrials } from '../../runner/analysis/compare.ts';
import type { Verdict } from '../../runner/contract/comparison.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { simulateBlocks } from './experiments.ts';
import { normalNoise, type Random, seededRandom } from './noise.ts';
import { experimentOf } from './ruled-out.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';
import { decision, type Pair, trialOf } from './tool.ts';

/**
 * Blocks whose outcome somebody or something decided, judged by the code that compares real trials. The old figures are
 * from the earlier code, in which each cut-off block, and each repeat, counted with its new measurement.
 */
const noise = normalNoise(0.03);

/** The verdict on a run of so many blocks with these trials. */
export function verdictOn(trials: Trial[], blocks: number): Verdict | null {
  const definition = experimentOf(blocks, 'random');
  const experiment = {
    name: definition.name,
    question: definition.question,
    profile: 'local',
    baseline: definition.baseline,
    seed: definition.protocol.seed,
    definition,
  };
  const { comparisons } = compareTrials({
    trials,
    contrasts: [{ baseline: 'baseline', candidate: 'candidate', level: {} }],
    controls: [],
    decision,
    limit: 'time',
    claims: claimsOf({ experiment, trials, steps: [] }),
  });
  return comparisons.find(({ primary }) => primary)?.verdict ?? null;
}

/**
 * A user watches an A/A run of a favourite candidate, and gets rid of blocks that do not please, as often as is
 * allowed. The user either cuts the block off and continues with --resume, or starts a busy program beside it on
 * purpose, so that it is measured again.
 */
export function vetoedTrials(
  blocks: number,
  vetoes: number,
  random: Random,
  how: 'cut off' | 'disturbed' = 'cut off',
): Trial[] {
  const drawn = simulateBlocks({ noise, blocks: blocks + vetoes, effect: 0, random });
  const trials: Trial[] = [];
  let left = vetoes;
  let next = 0;
  for (let block = 1; block <= blocks; block++) {
    for (let attempt = 1; ; attempt++) {
      const pair = drawn[next++] ?? { baseline: NaN, candidate: NaN };
      const pleases = pair.candidate > pair.baseline;
      const [baseline, candidate] = trialsOf(pair, block, attempt);
      if (pleases || left === 0) {
        trials.push(baseline, candidate);
        break;
      }
      left--;
      trials.push(baseline, how === 'cut off' ? cutOff(candidate) : disturbed(candidate));
    }
  }
  return trials;
}

function cutOff(trial: Trial): Trial {
  return {
    ...trial,
    state: 'interrupted',
    failure: { stage: 'measure', error: 'interrupted by SIGINT' },
    measures: {},
  };
}

function disturbed(trial: Trial): Trial {
  const id = 'other-programs';
  return { ...trial, checks: [{ id, name: id, state: 'fail', finding: id, outside: id }] };
}

/** A run in which trials of one side are lost by chance, and never measured again. */
export function lossyTrials(blocks: number, side: 'baseline' | 'candidate', share: number, random: Random): Trial[] {
  return simulateBlocks({ noise: normalNoise(0.01), blocks, effect: 0, random }).flatMap((pair, index) => {
    const lost = random() < share;
    return trialsOf(pair, index + 1, 1).map((trial): Trial => {
      if (!lost || trial.conditions.variant !== side) return trial;
      return { ...trial, state: 'failed', failure: { stage: 'measure', error: 'the server ended' }, measures: {} };
    });
  });
}

function trialsOf(pair: Pair, block: number, attempt: number): [Trial, Trial] {
  const again = { attempt };
  const [baseline, candidate] = [
    trialOf('baseline', block, pair.baseline),
    trialOf('candidate', block, pair.candidate),
  ];
  return [
    { ...baseline, ...again, id: `${baseline.id}-${attempt}` },
    { ...candidate, ...again, id: `${candidate.id}-${attempt}` },
  ];
}

export function countVetoed(
  blocks: number,
  vetoes: number,
  experiments: number,
  how: 'cut off' | 'disturbed' = 'cut off',
): Count {
  const random = seededRandom(blocks + vetoes);
  return countOutcomes(experiments, () => ({
    better: verdictOn(vetoedTrials(blocks, vetoes, random, how), blocks) === 'better',
  }))('better');
}

export function countLossy(
  side: 'baseline' | 'candidate',
  share: number,
  { blocks, experiments }: { blocks: number; experiments: number },
): (outcome: 'better' | 'equivalent') => Count {
  const random = seededRandom(blocks);
  return countOutcomes(experiments, () => {
    const verdict = verdictOn(lossyTrials(blocks, side, share, random), blocks);
    return { better: verdict === 'better', equivalent: verdict === 'equivalent' };
  });
}

function disturbedTable(experiments: number): Table {
  return {
    title:
      '**Disturbed on purpose: somebody starts a busy program beside a block that does not please, so that it is measured again** (what `repeats` allows to somebody who wants to deceive)',
    head: ['`protocol.repeats`', 'called better, six blocks', '20 blocks'],
    rows: [0, 2, 6].map((repeats) => [
      repeats === 2 ? '2, the default' : String(repeats),
      rate(countVetoed(6, repeats, experiments, 'disturbed')),
      rate(countVetoed(20, repeats, experiments, 'disturbed')),
    ]),
  };
}

export function stopsTables(experiments: number): Table[] {
  return [
    {
      title: '**Vetoes: blocks are cut off and measured again until they please, though nothing differs**',
      head: ['blocks that may be cut off', 'called better, six blocks', '20 blocks'],
      rows: [0, 2, 6, 12].map((vetoes) => [
        String(vetoes),
        rate(countVetoed(6, vetoes, experiments)),
        rate(countVetoed(20, vetoes, experiments)),
      ]),
    },
    disturbedTable(experiments),
    {
      title: '**Losses: one side stalls or crashes, and nothing else differs** (a spread of 1%)',
      head: ['side', 'blocks', 'called equivalent', 'called better'],
      rows: (
        [
          ['baseline', 0.2],
          ['candidate', 0.25],
        ] as const
      ).flatMap(([side, share]) =>
        [6, 10, 20].map((blocks) => {
          const count = countLossy(side, share, { blocks, experiments });
          const name = `the ${side}, in ${percent(share)} of its trials`;
          return [name, String(blocks), rate(count('equivalent')), rate(count('better'))];
        }),
      ),
    },
  ];
}
