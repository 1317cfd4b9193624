import { stringify } from 'yaml';
import { UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { loadInParts } from '../../experiment/file/load.ts';
import { blockTimes } from '../../experiment/plan/block-times.ts';
import { minBlocks } from '../../experiment/plan/design.ts';
import { atFirstLevel } from '../../experiment/plan/start.ts';
import { secondsIn } from '../../experiment/rules/parameter-rules.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Io } from '../io.ts';
import { commandOf, type Setting, type TryOptions } from '../try-options.ts';
import { axesOf, combinationsOf, experimentFor, isOwnScript, sizesFor } from './try-experiment.ts';
import { requireMeaningful } from './try-mistakes.ts';

/** Ten minutes, load and all, is what a try may take. */
const maxSeconds = 600;

/** No more variants ever fit: the first look comes after six blocks at the earliest, and a trial takes a second at least. */
const maxVariants = maxSeconds / 6;

export interface PlannedTry {
  text: string;
  experiment: Experiment;
  /** Files that it does not name, but that its dump is seen to read. */
  others: readonly string[];
  trials: TryTrials;
  /** How long a transaction takes, as far as it was tried. */
  transactionSeconds: number | null;
  warnings: string[];
}

/**
 * The text of the experiment. It measures until there is a verdict, with as many blocks at most as there is time for;
 * this number is fixed before anything is measured. Trials are as long as the transactions want them, or as there is time
 * for.
 *
 * @param transactionSeconds null if not known yet
 * @throws {UserError} with everything that is wrong with the settings, or if transactions take too long
 */
export async function planTry(
  file: string,
  options: TryOptions,
  transactionSeconds: number | null,
  io: Io,
): Promise<PlannedTry> {
  requireMeaningful(options, io);
  const combinations = combinationsOf(axesOf(options));
  const candidates = trialsFor(options, sizesFor(options), transactionSeconds);
  const textWith = (protocol: { blocks: number }, trials: TryTrials, variants = combinations.count): string => {
    const made = { file, protocol, combinations: combinations.first(variants), trials };
    return `# ${commandOf(options)}\n${stringify(experimentFor(made, options, io), { lineWidth: 110 })}`;
  };
  const blocksOf = async (variants: number, trials = candidates[0]) => {
    const source = { file, text: textWith({ blocks: 30 }, trials, variants) };
    const how = { folder: io.workingFolder, profile: 'local', seed: 1 };
    const loaded = await loadInParts(source, how, io.signal);
    const experiment = atFirstLevel(loaded.experiment);
    const times = blockTimes(experiment, loaded.profile, variants * overrunSeconds(options, transactionSeconds));
    const affordable = Math.floor((maxSeconds - times.before) / times.block);
    return { experiment, others: loaded.others, trials, times, needed: minBlocks(experiment), affordable };
  };
  const fits = ({ needed, affordable }: Awaited<ReturnType<typeof blocksOf>>): boolean => needed <= affordable;
  const planned =
    combinations.count > maxVariants
      ? []
      : await Promise.all(candidates.map((trials) => blocksOf(combinations.count, trials)));
  const wanted = planned.find(fits) ?? planned.at(-1);
  if (wanted && !fits(wanted) && transactionSeconds !== null && options.seconds === undefined) {
    const { needed: blocks, times } = wanted;
    const atLeast = { blocks, seconds: times.before + blocks * times.block };
    throw tooLong(options, { transactionSeconds, variants: combinations.count, atLeast });
  }
  if (!wanted || (combinations.count > 2 && !fits(wanted))) {
    throw await tooMany(combinations.count, async (variants) => fits(await blocksOf(variants)));
  }
  const { experiment, others, trials, needed, affordable } = wanted;
  const warnings = [
    ...(!fits(wanted)
      ? [
          `even ${needed} blocks, the minimum for a verdict, take longer than the ten minutes of a try. Shorten the trials (--seconds).`,
        ]
      : []),
    ...unreachedTimeout(options.set, experiment),
    ...(options.dryRun && isOwnScript(options) ? [untriedWords(options, trials)] : []),
  ];
  // A fifth of the time is for blocks that are measured again, and for those that later starts of the question take.
  const blocks = Math.max(Math.floor(0.8 * affordable), needed);
  return { text: textWith({ blocks }, trials), experiment, others, trials, transactionSeconds, warnings };
}

/** @param fits whether there is time for this number of variants */
async function tooMany(count: number, fits: (variants: number) => Promise<boolean>): Promise<UserError> {
  let max = 1;
  while (max < maxVariants && (await fits(max + 1))) max++;
  const asked = `This asks for ${count.toLocaleString('en')} variants, one for each value or combination of values`;
  return new UserError(
    max > 1
      ? `${asked}. try has time for ${max} in its ten minutes. Compare fewer values, or shorten the trials (--seconds).`
      : `${asked}. With trials this long, even two do not fit in ten minutes. Shorten the trials (--seconds), and compare fewer values.`,
  );
}

/**
 * Warns if no trial lasts until a timed checkpoint: the reset before a trial makes a checkpoint, from which the time
 * counts. Unless the load writes enough WAL, no trial then shows what checkpoint_timeout does.
 */
function unreachedTimeout(set: readonly Setting[], { protocol, workload }: Experiment): string[] {
  const timeouts = set.find(({ name, values }) => name === 'checkpoint_timeout' && values.length > 1)?.values ?? [];
  const seconds = timeouts.map((value) => secondsIn(value) ?? 0);
  const { durationSeconds } = toolOf(workload).shape(workload);
  const longest = protocol.warmUpSeconds + protocol.phaseSeconds + (durationSeconds ?? Infinity);
  if (timeouts.length === 0 || Math.min(...seconds) < longest) return [];
  return [
    `each trial follows a checkpoint and ends within ${longest} s, before any checkpoint_timeout here. Unless WAL triggers a checkpoint, the run cannot reach a verdict. Compare shorter times, or lengthen the trials (--seconds).`,
  ];
}

/** How the trials of a try measure. */
export interface TryTrials {
  seconds: number;
  warmUpSeconds: number;
  /** Throughput, unless clients have too few transactions in a trial. */
  metric: 'tps' | 'latency.average';
}

/**
 * Transactions of a client in a trial, with which throughput may decide. The clients of a trial end one after another,
 * and throughput counts the time until the last one. Of fewer transactions, that time is too large a part.
 */
const transactionsForThroughput = 20;

/** Transactions of a client in a trial, as many as there is time for. More blocks say more than longer trials. */
const transactionsEach = [4, 3, 2, 1];

/** The time of its last transactions, and of those of the warm-up, by which a trial takes longer than planned. */
const overrun = 1;

/** A warm-up that ends before one transaction of each client does ends with that. */
const warmUp = 0.9;

/**
 * Trials that fit the transactions, the best first.
 *
 * @param usual how trials measure short transactions
 * @param transactionSeconds null if not known yet
 */
export function trialsFor(
  { seconds: declared }: Pick<TryOptions, 'seconds'>,
  usual: Omit<TryTrials, 'metric'>,
  transactionSeconds: number | null,
): [TryTrials, ...TryTrials[]] {
  const asGiven = { seconds: declared ?? usual.seconds, warmUpSeconds: usual.warmUpSeconds };
  if (transactionSeconds === null || asGiven.seconds >= transactionsForThroughput * transactionSeconds) {
    return [{ ...asGiven, metric: 'tps' }];
  }
  const warmUpSeconds = Math.max(usual.warmUpSeconds, Math.floor(warmUp * transactionSeconds));
  const [first, ...others] = (declared === undefined ? transactionsEach : []).map((count): TryTrials => {
    // Between two ends, so that a little more or less does not change how many there are.
    const fitting = Math.ceil((count - 0.5) * transactionSeconds);
    return { seconds: Math.max(usual.seconds, fitting), warmUpSeconds, metric: 'latency.average' };
  });
  return first ? [first, ...others] : [{ ...asGiven, warmUpSeconds, metric: 'latency.average' }];
}

/** Seconds that each trial takes besides its own, as far as it is for pgduet to choose its length. */
export function overrunSeconds({ seconds }: Pick<TryOptions, 'seconds'>, transactionSeconds: number | null): number {
  return seconds === undefined ? overrun * (transactionSeconds ?? 0) : 0;
}

/** @param atLeast what the fewest blocks take, with one transaction of each client in a trial */
export function tooLong(
  { script = 'the script', clients }: Pick<TryOptions, 'script' | 'clients'>,
  {
    transactionSeconds,
    variants,
    atLeast,
  }: { transactionSeconds: number; variants: number; atLeast: { blocks: number; seconds: number } },
): UserError {
  const remedies = [
    variants > 2 ? 'compare fewer values' : `measure for longer (--seconds ${Math.ceil(transactionSeconds)})`,
    ...(clients === 1 ? [] : ['see whether it takes less with fewer clients (--clients 1)']),
  ].join(', or ');
  return new UserError(
    `A transaction of ${script} takes ${durationWords(transactionSeconds)}. ${atLeast.blocks} blocks, the minimum for a verdict, then take at least ${Math.ceil(atLeast.seconds / 60)} minutes, more than the ten minutes of a try. Shorten the script, ${remedies}.`,
  );
}

/** What the plan of a dry run leaves open, which tries nothing. */
export function untriedWords(
  { script = 'the script', seconds: declared }: Pick<TryOptions, 'script' | 'seconds'>,
  { seconds }: Pick<TryTrials, 'seconds'>,
): string {
  const longest = seconds / transactionsForThroughput;
  return `${script} was not tried. If one of its transactions takes more than ${longest} s, ${declared === undefined ? 'trials become longer, and ' : ''}the average latency decides instead of throughput.`;
}

/** What a user reads before the trials are planned anew. */
export function fitWords(
  { script = 'the script' }: Pick<TryOptions, 'script'>,
  transactionSeconds: number,
  { seconds, metric }: TryTrials,
): string {
  const decides = metric === 'tps' ? 'throughput' : 'the average latency';
  return `A transaction of ${script} takes ${durationWords(transactionSeconds)}: trials of ${seconds} s, in which ${decides} decides.`;
}

function durationWords(seconds: number): string {
  return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
}
