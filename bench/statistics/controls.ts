import { parseSimulated } from './ruled-out.ts';
import { simulateFamily } from './experiments.ts';
import { normalNoise, seededRandom } from './noise.ts';
import { type Count, countOutcomes, percent, rate, type Table } from './table.ts';
import { decide, decideAlone, type Pair, verdictsOnVariants } from './tool.ts';

/** How much faster something makes every arm but the baseline, although all arms are the same. */
const artefacts = [0, 0.01, 0.02, 0.03, 0.05];
const spread = 0.02;

export interface ControlCounts {
  /** "Better" of a candidate that is the baseline once more. */
  falseBetter: Count;
  /** The same, if only a control that is itself better or worse takes the verdict away. */
  falseBetterBefore: Count;
  /** "Better" of a candidate that is also 10% faster. */
  found: Count;
}

export function countControlled(artefact: number, blocks: number, experiments: number): ControlCounts {
  const random = seededRandom(blocks + Math.round(1000 * artefact));
  const definition = parseSimulated(blocks);
  const judgeOf = (effect: number) => {
    const effects = [effect, 0].map((own) => own + Math.log1p(artefact));
    const [candidate = [], control = []] = simulateFamily({ noise: normalNoise(spread), blocks, effects, random });
    return { before: judgeAlone(candidate, control), now: verdictsOnVariants(definition, { candidate, control }) };
  };
  const count = countOutcomes(experiments, () => {
    const nothing = judgeOf(0);
    return {
      falseBetter: nothing.now['candidate'] === 'better',
      falseBetterBefore: nothing.before === 'better',
      found: judgeOf(Math.log1p(0.1)).now['candidate'] === 'better',
    };
  });
  return {
    falseBetter: count('falseBetter'),
    falseBetterBefore: count('falseBetterBefore'),
    found: count('found'),
  };
}

/** Without a comparison with the control: against the baseline alone, unless the control itself came out better or worse. */
function judgeAlone(candidate: readonly Pair[], control: readonly Pair[]): string | null {
  const holds = ['better', 'worse'].includes(decideAlone(control).verdict);
  return holds ? null : decideAlone(candidate).verdict;
}

export function controlsTable(experiments: number): Table {
  return {
    title: `**Control: something makes every arm but the baseline faster** (a spread of ${percent(spread)})`,
    head: [
      'faster by',
      'blocks',
      'a candidate that is the same is called better',
      'the same against the baseline alone',
      'one that is also 10% faster is called better',
    ],
    rows: artefacts.flatMap((artefact) =>
      [6, 10].map((blocks) => {
        const { falseBetter, falseBetterBefore, found } = countControlled(artefact, blocks, experiments);
        return [percent(artefact), String(blocks), rate(falseBetter), rate(falseBetterBefore), rate(found)];
      }),
    ),
  };
}

/** How often equal controls take verdicts away at several levels: from every level, as before, or from their own. */
export function countLevelledControls(levels: number, spread: number, blocks: number, experiments: number) {
  const random = seededRandom(levels);
  const count = countOutcomes(experiments, () => {
    const controls = Array.from({ length: levels }, () => {
      const [own = []] = simulateFamily({ noise: normalNoise(spread), blocks, effects: [0], random });
      return own;
    });
    const isDifferent = ({ verdict }: { verdict: string }): boolean => verdict === 'better' || verdict === 'worse';
    const together = decide(controls).filter(isDifferent).length;
    return {
      allLost: controls.some((own) => isDifferent(decideAlone(own))),
      someLost: together > 0,
      firstLost: isDifferent(decide(controls)[0] ?? { verdict: '' }),
    };
  });
  return { allLost: count('allLost'), someLost: count('someLost'), firstLost: count('firstLost') };
}

export function levelledControlsTable(experiments: number): Table {
  return {
    title: '**Control at several levels, of 12 blocks: how often it takes verdicts away, though nothing differs**',
    head: [
      'spread of a trial',
      'levels',
      'all levels lose their verdict, as before',
      'any level loses it, as now',
      'a given level loses it, as now',
    ],
    rows: [0.02, 0.1].flatMap((spread) =>
      [1, 4, 8, 12].map((levels) => {
        const { allLost, someLost, firstLost } = countLevelledControls(levels, spread, 12, experiments);
        return [percent(spread), String(levels), rate(allLost), rate(someLost), rate(firstLost)];
      }),
    ),
  };
}
