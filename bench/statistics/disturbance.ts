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
}

const waits: Work = { name: 'waits', own: (done, free) => Math.max(0.001, Math.min(done, free)) };
/** A transaction takes at most 2.5 times the time of the processors. */
const worksLonger: Work = { name: 'works longer', own: (done, free) => Math.max(0.001, Math.min(2.5 * done, free)) };
export const works: readonly Work[] = [waits, worksLonger];

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
  { own }: Work,
  { share, blocks, effect, experiments }: { share: number; blocks: number; effect: number; experiments: number },
): Outcomes {
  const random = seededRandom(blocks);
  const isDirected = (verdict: string): boolean => verdict === 'better' || verdict === 'worse';
  const count = countOutcomes(experiments, () => {
    const pairs = draw(share, blocks, random).map((shares): ObservedPair => {
      const trial = (side: 'baseline' | 'candidate', log: number) => {
        const part = lost(shares[side], side);
        return {
          tps: 1000 * Math.exp(log + spread * normalVariate(random)) * (1 - part),
          measures: { 'driver.others': shares[side], 'driver.own': own(1 - part, 1 - shares[side]), 'driver.awake': 1 },
        };
      };
      const [baseline, candidate] = [trial('baseline', 0), trial('candidate', Math.log1p(effect))];
      return {
        baseline: baseline.tps,
        candidate: candidate.tps,
        measures: { baseline: baseline.measures, candidate: candidate.measures },
      };
    });
    const plain = isDirected(decideAlone(pairs).verdict);
    const isBusy = pairs.some(({ measures }) =>
      [measures.baseline, measures.candidate].some((of) => (of['driver.others'] ?? 0) >= vetoed),
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
    title: `**Beside other programs: verdicts if nothing differs on a quiet machine** (a trial varies by 2 %; the worst of shares of ${shares.map((one) => `${one * 100} %`).join(', ')} and of ${blockNumbers.join(', ')} blocks, and of loads that wait for processors and loads that work longer; if only one side loses, a verdict that holds beside such programs is true, and is not counted)`,
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
      '**Beside other programs: how often a true effect gets an answer** (12 blocks, a trial loses its share; in brackets, those that hold on a quiet machine, too)',
    head: ['effect', 'share', 'even, former limit', 'even, now', 'bursts, former limit', 'bursts, now'],
    rows: [0.05, 0.1, 0.5, 10].flatMap((effect) =>
      [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9].map((one) => {
        const cells = [even, bursts].flatMap((disturbance) => {
          const { before, quiet, conditional } = countDisturbed(disturbance, fair, waits, {
            share: one,
            blocks: 12,
            effect,
            experiments,
          });
          const now = { ...quiet, hits: quiet.hits + conditional.hits };
          return [share(before), `${share(now)} (${share(quiet)})`];
        });
        return [`+${effect * 100} %`, `${one * 100} %`, ...cells];
      }),
    ),
  };
}
