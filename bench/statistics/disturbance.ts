import { normalVariate } from '../../runner/statistics/distributions.ts';
import {
  type Disturbance,
  disturbances,
  type Law,
  laws,
  moreProcesses,
  waits,
  type Work,
  works,
} from './disturbed-worlds.ts';
import { seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, type Table } from './table.ts';
import { decideAlone, decideBeside, type ObservedPair } from './tool.ts';

const spread = 0.02;
/** From here on, the earlier rule withheld a verdict. */
const vetoed = 0.15;

interface Outcomes {
  /** Verdicts of better or worse by the plain interval. */
  plain: Count;
  /** The same if no trial was beside programs that took 15%. */
  before: Count;
  quiet: Count;
  /** Verdicts that hold only beside other programs. */
  conditional: Count;
}

/** @param effect of the candidate on a quiet machine, relative */
function countDisturbed(
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
          reported: {
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
        reported: { baseline: baseline.reported, candidate: candidate.reported },
      };
    });
    const plain = isDirected(decideAlone(pairs).verdict);
    const isBusy = pairs.some(({ reported }) =>
      [reported.baseline, reported.candidate].some(({ measures }) => (measures['driver.others'] ?? 0) >= vetoed),
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
    cells.map(outcomeOf).reduce((max, one) => (one.hits / one.experiments > max.hits / max.experiments ? one : max)),
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
    title: `**Beside other programs: verdicts if nothing differs on a quiet machine** (a trial varies by 2%; the worst of shares of ${shares.map((one) => `${one * 100}%`).join(', ')} and of ${blockNumbers.join(', ')} blocks, and of loads that wait for processors, loads that work longer, and candidates with three times as many processes beside a program that always wants a processor; if only one side loses, a verdict that holds beside such programs is true, and is not counted)`,
    head: ['other programs', 'what a trial loses', 'without regard to them', 'with the former limit of 15%', 'now'],
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
          `+${effect * 100}%`,
          `${one * 100}%`,
          ...[even, bursts].flatMap((disturbance) => answered(disturbance, waits)),
          ...[even, bursts].map((disturbance) => answered(disturbance, moreProcesses)[1]),
        ];
      }),
    ),
  };
}
