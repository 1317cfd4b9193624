import path from 'node:path';
import { regressionFound, spreadOfRun } from '../../analysis/gate-power.ts';
import { openFolder } from '../../analysis/open-result.ts';
import { unlessUserError, UserError } from '../../contract/errors.ts';
import type { Experiment, WrittenExperiment } from '../../contract/experiment/schema.ts';
import { blockTimes } from '../../experiment/plan/block-times.ts';
import { designOf, minBlocks } from '../../experiment/plan/design.ts';
import { atFirstLevel } from '../../experiment/plan/start.ts';
import { exists } from '../../files/look.ts';
import { latestRun } from '../../files/named-run.ts';
import type { Io } from '../io.ts';
import { type GateSide, gateName, gateText } from './gate-experiment.ts';
import { loadToRun, type LoadedToRun } from './load-to-run.ts';
import { resultsFolder } from './plan-start.ts';

/** What a gate compares. */
export interface AskedOfGate {
  own: LoadedToRun;
  written: WrittenExperiment;
  base: GateSide;
  head: GateSide;
  /** The largest loss that passes: 0.05 is 5%. */
  threshold: number;
}

/** Of the minutes, for blocks that are measured again. */
const reserve = 0.1;

/**
 * The experiment of a gate, with as many blocks as there are minutes for. It ends sooner if it knows sooner, and never later.
 *
 * @throws {UserError} if the minutes are too few for any answer
 */
export async function planGate(
  { own, written, base, head, threshold }: AskedOfGate,
  how: { minutes: number } & Parameters<typeof loadToRun>[1],
  io: Io,
): Promise<LoadedToRun> {
  const file = path.join(path.dirname(own.path), `${gateName(written.name)}.yaml`);
  const planned = (blocks: number): Promise<LoadedToRun> => {
    const size = { blocks, hours: how.minutes / 60, threshold };
    return loadToRun({ file, text: gateText(written, own.profile, { base, head, ...size }) }, how, io);
  };
  const { experiment, profile } = await planned(30);
  const first = atFirstLevel(experiment);
  const { before, block } = blockTimes(first, profile);
  if (block === 0) {
    throw new UserError(
      'Nobody can know how many blocks these minutes have room for: trials end by transactions. Set workload.durationSeconds in place of workload.transactions.',
    );
  }
  const needed = minBlocks(first);
  const blocks = Math.floor(((1 - reserve) * (how.minutes * 60 - before)) / block);
  if (blocks >= needed) return planned(blocks);
  const enough = Math.ceil((before + (needed * block) / (1 - reserve)) / 60);
  throw new UserError(
    `--minutes ${how.minutes}: ${needed} blocks, the fewest for an answer, take ${enough} minutes, data loading included. Set --minutes ${enough}, or shorten the trials (workload.durationSeconds, protocol.warmUpSeconds).`,
  );
}

/** What the last run of a gate says that this one finds: a loss such as 0.08; null if there is no such run, or it tells nothing. */
export async function foundBefore(experiment: Experiment, out: string, io: Io): Promise<number | null> {
  const latest = path.join(resultsFolder(out, experiment.name, io), latestRun);
  if (!exists(latest)) return null;
  const opened = await openFolder(latest, { signal: io.signal }).catch(unlessUserError);
  const spread = opened && spreadOfRun(opened.result);
  if (spread === null) return null;
  const { decision, protocol } = experiment;
  const { comparisons, exchanges } = designOf(experiment);
  return regressionFound(spread, protocol.blocks, { decision, exchanges, comparisons, widest: 'verdict' });
}
