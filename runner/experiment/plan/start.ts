import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Outcome, Start } from '../../contract/start.ts';
import { placeOf } from '../../places/registry.ts';
import { minPairsFor } from '../../statistics/exact-interval.ts';
import { allowedError, discreteError } from '../../statistics/spending.ts';
import { designOf } from './design.ts';

/** What a ledger says of the starts of a question so far. */
export interface StartsSoFar {
  /** How many the ledger has. */
  opened: number;
  /** What became of each that began a block, from the first. */
  outcomes: Outcome[];
  /** The share of the error that they have spent, from 0 to 1. */
  spent: number;
}

/** A start as it is planned: its number and level, before the ledger has it. */
export interface PlannedStart extends Omit<Start, 'head' | 'question'> {
  /** The share of the error that it spends. */
  share: number;
  /** Blocks that the experiment asks for; the start may take more. */
  asked: number;
  /** Blocks that a verdict takes at its level. */
  needed: number;
}

/** A start takes more blocks than the experiment asks for, up to this many or twice as many as it asks for. */
const maxRaisedBlocks = 24;

/** An experiment whose verdicts have the level of a start. */
export function atLevelOf<Some extends { decision: { level: number } }>(
  experiment: Some,
  start: Pick<Start, 'level'> | undefined,
): Some {
  const level = Math.max(experiment.decision.level, start?.level ?? 0);
  return { ...experiment, decision: { ...experiment.decision, level } };
}

/** The experiment at the level that its first start has where starts are counted, whatever the number of its blocks. */
export function atFirstLevel(experiment: Experiment): Experiment {
  if (placeOf(experiment).opener === null) return experiment;
  return atLevelOf(experiment, { level: 1 - allowedIn(experiment, 0) });
}

function allowedIn(experiment: Experiment, spent: number): number {
  const { comparisons } = designOf(experiment);
  const error = 1 - experiment.decision.level;
  return allowedError({ error, spent, comparisons, looks: experiment.protocol.until !== 'blocks' });
}

/**
 * Blocks that a verdict on one comparison takes: whoever asks for as many wants verdicts, however many comparisons share
 * the level.
 */
function blocksOfOne(experiment: Experiment): number {
  const { protocol, decision } = experiment;
  const { unit, blocksForVerdict } = designOf(experiment);
  return unit === 'block' && protocol.until === 'blocks' ? minPairsFor(decision.level) : blocksForVerdict;
}

/**
 * The next start of an experiment's question. Where its level takes more blocks than the experiment has, the start gets
 * them, up to a limit; beyond it the blocks stay as they are, and its level allows them no verdict.
 *
 * @returns the experiment with the blocks of this start; null for a design without verdicts, which spends nothing
 */
export function planStart(
  experiment: Experiment,
  { opened, outcomes, spent }: StartsSoFar,
): { experiment: Experiment; start: PlannedStart } | null {
  const { protocol, decision } = experiment;
  const { obstacles, comparisons, unit } = designOf(experiment);
  if (obstacles.length > 0 || protocol.blocks < blocksOfOne(experiment)) return null;
  const error = 1 - decision.level;
  const looks = protocol.until !== 'blocks';
  const allowed = allowedIn(experiment, spent);
  const needed = designOf(atLevelOf(experiment, { level: 1 - allowed })).blocksForVerdict;
  const isRaised = needed > protocol.blocks && needed <= Math.max(maxRaisedBlocks, 2 * protocol.blocks);
  const blocks = isRaised ? needed : protocol.blocks;
  const isDiscrete = !looks && unit === 'block';
  const charged = needed > blocks ? 0 : isDiscrete ? (discreteError(blocks, allowed, comparisons) ?? 0) : allowed;
  return {
    experiment: { ...experiment, protocol: { ...protocol, blocks } },
    start: {
      number: opened + 1,
      // What is charged, so that a run that a limit ends sooner cannot spend more.
      level: 1 - (charged > 0 ? charged : allowed),
      others: outcomes,
      share: charged / error,
      asked: protocol.blocks,
      needed,
    },
  };
}

/** What the user should know before such an experiment costs time and money. */
export function designWarnings(experiment: Experiment): string[] {
  const { blocks } = experiment.protocol;
  const { obstacles, exchanges, comparisons, blocksForVerdict } = designOf(experiment);
  const areStartsCounted = placeOf(experiment).opener !== null;
  const first = areStartsCounted ? planStart(experiment, { opened: 0, outcomes: [], spent: 0 }) : null;
  return [
    ...obstacles.map(({ message }) => `This run cannot reach a verdict: ${message}.`),
    ...((first?.experiment.protocol.blocks ?? blocks) < blocksForVerdict
      ? [
          `protocol.blocks is ${blocks}: a verdict${comparisons > 1 ? ` on ${comparisons} comparisons` : ''} needs ${blocksForVerdict} blocks${crossoverRule(exchanges)}. Set it to ${blocksForVerdict} or more: fewer blocks are only described, without a verdict.`,
        ]
      : []),
  ];
}

function crossoverRule(exchanges: number): string {
  if (exchanges === 0) return '';
  return exchanges === 1
    ? ', two for each pair'
    : ', two per pair, so that enough remain without any one exchange. With crossover: { exchanges: 1 }, fewer are enough, but no host may change during the run';
}
