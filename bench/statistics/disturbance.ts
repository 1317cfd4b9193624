import { normalVariate } from '../../runner/statistics/distributions.ts';
import { type Random, seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, type Table } from './table.ts';
import { decideAlone, decideBeside, type ObservedPair } from './tool.ts';

/** Shares that other programs take of the trials of one experiment, two for each block. */
interface Disturbance {
  name: string;
  draw: (share: number, blocks: number, random: Random) => Record<'baseline' | 'candidate', number>[];
}

/** What of its throughput a trial of each side loses beside others that take a share. */
interface Law {
  name: string;
  /** Whether it is the same for both sides. If not, a verdict that holds beside other programs may truly differ. */
  isCommon: boolean;
  lost: (share: number, side: 'baseline' | 'candidate') => number;
}

const largestShare = 0.95;

/** Each block draws its order, so which trial of a row is whose is chance. */
function inRandomOrder(shares: readonly number[], random: Random): Record<'baseline' | 'candidate', number>[] {
  return Array.from({ length: shares.length / 2 }, (_, index) => {
    const [first = 0, second = 0] = shares.slice(2 * index);
    return random() < 0.5 ? { baseline: first, candidate: second } : { baseline: second, candidate: first };
  });
}

export const disturbances: readonly Disturbance[] = [
  {
    name: 'even',
    draw: (share, blocks) => Array.from({ length: blocks }, () => ({ baseline: share, candidate: share })),
  },
  {
    name: 'scattered by 20 %',
    draw: (share, blocks, random) =>
      inRandomOrder(
        Array.from({ length: 2 * blocks }, () => Math.min(largestShare, share * Math.exp(0.2 * normalVariate(random)))),
        random,
      ),
  },
  {
    name: 'bursts of a trial',
    draw(share, blocks, random) {
      const top = Math.min(largestShare, 2 * share);
      return inRandomOrder(
        Array.from({ length: 2 * blocks }, () => (random() < share / top ? top : 0)),
        random,
      );
    },
  },
  {
    name: 'bursts of about four trials',
    draw(share, blocks, random) {
      const top = Math.min(largestShare, 2 * share);
      let isOn = random() < share / top;
      const shares = Array.from({ length: 2 * blocks }, () => {
        if (random() < 0.25) isOn = random() < share / top;
        return isOn ? top : 0;
      });
      return inRandomOrder(shares, random);
    },
  },
  {
    name: 'beside the baseline alone',
    draw: (share, blocks) => Array.from({ length: blocks }, () => ({ baseline: share, candidate: 0 })),
  },
  {
    name: 'beside a third of the baseline’s trials',
    draw: (share, blocks, random) =>
      Array.from({ length: blocks }, () => ({ baseline: random() < 1 / 3 ? share : 0, candidate: 0 })),
  },
  {
    name: 'bursts beside the baseline, as much evenly beside the candidate',
    draw(share, blocks, random) {
      const top = Math.min(largestShare, 2 * share);
      return Array.from({ length: blocks }, () => ({
        baseline: random() < share / top ? top : 0,
        candidate: share,
      }));
    },
  },
  {
    name: 'a tenth more beside the baseline',
    draw: (share, blocks) => Array.from({ length: blocks }, () => ({ baseline: share, candidate: share / 1.1 })),
  },
  {
    name: 'beside the candidate alone',
    draw: (share, blocks) => Array.from({ length: blocks }, () => ({ baseline: 0, candidate: share })),
  },
];

const times =
  (factor: number) =>
  (share: number): number =>
    Math.min(0.97, factor * share);

export const laws: readonly Law[] = [
  { name: 'loses its share', isCommon: true, lost: times(1) },
  { name: 'loses 1.6 times its share', isCommon: true, lost: times(1.6) },
  { name: 'loses twice its share', isCommon: true, lost: times(2) },
  { name: 'loses twice its share beyond 25 %', isCommon: true, lost: (share) => (share > 0.25 ? times(2)(share) : 0) },
  { name: 'loses nothing', isCommon: true, lost: () => 0 },
  { name: 'only the baseline loses', isCommon: false, lost: (share, side) => (side === 'baseline' ? share : 0) },
  { name: 'only the candidate loses', isCommon: false, lost: (share, side) => (side === 'candidate' ? share : 0) },
];

/** Which share of the processors a load has that needs all of them, of which `free` are left, and that does the part `done`. */
interface Work {
  name: string;
  own: (done: number, free: number) => number;
  /**
   * What a thread of another program takes that could run throughout all trials, if nothing else does. Other programs
   * then take their share of what it leaves.
   */
  always?: Record<'baseline' | 'candidate', number>;
}

const waits: Work = { name: 'waits', own: (done, free) => Math.max(0.001, Math.min(done, free)) };
/** A transaction takes at most 2.5 times the time of the processors. */
const worksLonger: Work = { name: 'works longer', own: (done, free) => Math.max(0.001, Math.min(2.5 * done, free)) };
/** One of two processors is taken; the candidate works in three processes, the baseline in one. */
const moreProcesses: Work = {
  name: 'works in three times as many processes',
  own: worksLonger.own,
  always: { baseline: 1 / 2, candidate: 1 / 4 },
};
export const works: readonly Work[] = [waits, worksLonger, moreProcesses];

const spread = 0.02;
/** From here on, the earlier rule withheld a verdict. */
const vetoed = 0.15;

interface Outcomes {
  /** Verdicts of better or worse by the plain interval. */
  plain: Count;
  /** The same if no trial was beside programs that took 15 %. */
  before: Count;
  quiet: Count;
  /** Verdicts that hold only beside other programs. */
  conditional: Count;
}

/** @param effect of the candidate on a quiet machine, relative */
export function countDisturbed(
  { draw }: Disturbance,
  { lost }: Law,
  { own, always }: Work,
  { share, blocks, effect, experiments }: { share: number; blocks: number; effect: number; experiments: number },
): Outcomes {
  const random = seededRandom(blocks);
  const isDirected = (verdict: string): boolean => verdict === 'better' || verdict === 'worse';
  const count = countOutcomes(experiments, () => {
    const pairs = draw(share, blocks, random).map((shares): ObservedPair => {
      const trial = (side: 'baseline' | 'candidate', log: number) => {
        const taken = shares[side];
        const part = lost(taken, side);
        const alone = always?.[side] ?? 0;
        // Of what the others leave, it takes the same part as if there were none.
        const rest = (1 - alone) / (1 - taken * alone);
        return {
          tps: 1000 * Math.exp(log + spread * normalVariate(random)) * (1 - part),
          seen: {
            measures: {
              'driver.others': 1 - rest + taken * rest,
              'driver.own': own(1 - part, 1 - taken) * rest,
              'driver.awake': 1,
            },
            ...(always && { facts: { alwaysRunnable: { thread: 1 - rest } } }),
          },
        };
      };
      const [baseline, candidate] = [trial('baseline', 0), trial('candidate', Math.log1p(effect))];
      return {
        baseline: baseline.tps,
        candidate: candidate.tps,
        seen: { baseline: baseline.seen, candidate: candidate.seen },
      };
    });
    const plain = isDirected(decideAlone(pairs).verdict);
    const isBusy = pairs.some(({ seen }) =>
      [seen.baseline, seen.candidate].some(({ measures }) => (measures['driver.others'] ?? 0) >= vetoed),
    );
    const { verdict, isCondition } = decideBeside(pairs);
    const now = isDirected(verdict);
    return { plain, before: plain && !isBusy, quiet: now && !isCondition, conditional: now && isCondition };
  });
  return {
    plain: count('plain'),
    before: count('before'),
    quiet: count('quiet'),
    conditional: count('conditional'),
  };
}

const blockNumbers = [6, 12];
const shares = [0.02, 0.1, 0.3, 0.44, 0.5, 0.9];

const share = ({ hits, experiments }: Count): string => percent(hits / experiments);

/** The outcome of the cell in which it is most frequent. */
function worst(cells: readonly Outcomes[], outcomeOf: (cell: Outcomes) => Count): string {
  return share(
    cells
      .map(outcomeOf)
      .reduce((most, one) => (one.hits / one.experiments > most.hits / most.experiments ? one : most)),
  );
}

export function disturbanceTables(experiments: number): Table[] {
  return [falseTable(experiments), answersTable(experiments)];
}

function falseTable(experiments: number): Table {
  const all = ({ quiet, conditional }: Outcomes): Count => ({
    hits: quiet.hits + conditional.hits,
    experiments: quiet.experiments,
  });
  return {
    title: `**Beside other programs: verdicts if nothing differs on a quiet machine** (a trial varies by 2 %; the worst of shares of ${shares.map((one) => `${one * 100} %`).join(', ')} and of ${blockNumbers.join(', ')} blocks, and of loads that wait for processors, loads that work longer, and candidates with three times as many processes beside a program that always wants a processor; if only one side loses, a verdict that holds beside such programs is true, and is not counted)`,
    head: ['other programs', 'what a trial loses', 'without regard to them', 'with the former limit of 15 %', 'now'],
    rows: disturbances.flatMap((disturbance) =>
      laws.map((law) => {
        const cells = works.flatMap((work) =>
          shares.flatMap((one) =>
            blockNumbers.map((blocks) =>
              countDisturbed(disturbance, law, work, { share: one, blocks, effect: 0, experiments }),
            ),
          ),
        );
        return [
          disturbance.name,
          law.name,
          worst(cells, ({ plain }) => plain),
          worst(cells, ({ before }) => before),
          worst(cells, law.isCommon ? all : ({ quiet }) => quiet),
        ];
      }),
    ),
  };
}

function answersTable(experiments: number): Table {
  const [even, , bursts] = disturbances;
  const [fair] = laws;
  if (!even || !bursts || !fair) throw new Error('no disturbances');
  return {
    title:
      '**Beside other programs: how often a true effect gets an answer** (12 blocks, a trial loses its share; in brackets, those that hold on a quiet machine, too; three times: one of two processors is always wanted by another program, and the candidate works in three times as many processes)',
    head: [
      'effect',
      'share',
      'even, former limit',
      'even, now',
      'bursts, former limit',
      'bursts, now',
      'even, three times',
      'bursts, three times',
    ],
    rows: [0.05, 0.1, 0.5, 10].flatMap((effect) =>
      [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9].map((one) => {
        const answered = (disturbance: Disturbance, work: Work): [former: string, now: string] => {
          const { before, quiet, conditional } = countDisturbed(disturbance, fair, work, {
            share: one,
            blocks: 12,
            effect,
            experiments,
          });
          const now = { ...quiet, hits: quiet.hits + conditional.hits };
          return [share(before), `${share(now)} (${share(quiet)})`];
        };
        return [
          `+${effect * 100} %`,
          `${one * 100} %`,
          ...[even, bursts].flatMap((disturbance) => answered(disturbance, waits)),
          ...[even, bursts].map((disturbance) => answered(disturbance, moreProcesses)[1]),
        ];
      }),
    ),
  };
}
