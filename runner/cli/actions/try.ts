import path from 'node:path';
import { stringify } from 'yaml';
import { UnfitTrials, UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { loadExperiment } from '../../experiment/file/load.ts';
import { fewestBlocks } from '../../experiment/plan/design.ts';
import { atFirstLevel } from '../../experiment/plan/start.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { secondsIn } from '../../experiment/rules/parameter-rules.ts';
import { exists } from '../../files/look.ts';
import { requireSafePath } from '../../files/open-folder.ts';
import { makeSafeFolder, writeFileIn } from '../../files/write.ts';
import { foreseeServers } from '../../places/local/room.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Setting, TryOptions } from '../try-options.ts';
import type { Io } from '../io.ts';
import { carryOutHere } from './carry-out-verb.ts';
import type { Result } from '../../contract/result.ts';
import type { TriedOut } from '../../workloads/tool.ts';
import { loadToRun } from './load-to-run.ts';
import { commandOf, experimentFor, requireMeaningful, sizesFor } from './try-experiment.ts';
import { fitWords, overrunSeconds, tooLong, trialsFor, type TryTrials } from './try-fit.ts';
import { axesOf, combinationsOf, experimentName } from './try-variants.ts';
import { adviceOnKeys, inOptions } from './try-words.ts';

/**
 * `pgduet try`: makes the experiment that compares these settings on this machine, shows it, and carries it out like
 * any other.
 *
 * @throws {UserError} whose message names options of `try`, and no place in a file that the user did not write
 */
export async function trySettings(options: TryOptions, io: Io): Promise<void> {
  try {
    await carryOutTry(options, io);
  } catch (error) {
    throw inOptions(error, options);
  }
}

async function carryOutTry(options: TryOptions, io: Io): Promise<void> {
  const file = path.resolve(io.workingFolder, options.keepFile ?? `${experimentName(axesOf(options))}.yaml`);
  if (options.keepFile !== undefined) requireNewExperiment(file, options.keepFile);
  const planned = planTry(file, options, null, io);
  const { experiment } = planned;
  await foreseeServers(experiment, { ...io, explicit: options.pgBindir, isElsewhere: options.dryRun === true });
  const result = await carryOutPlanned(planned, file, options, io);
  io.signal.throwIfAborted();
  if (options.dryRun) return;
  const repeat = options.keepFile ?? path.join(options.out, path.basename(file, '.yaml'), 'latest');
  const lines = [`Again: npx pgduet load-run ${repeat} --local`, ...(result ? adviceOnKeys(result, options) : [])];
  for (const line of lines) io.stderr.write(`${wrapLines(line, io.errorColumns)}\n`);
}

/** Carries out a planned try. If its trials do not fit the transactions that it finds, it begins anew with others. */
async function carryOutPlanned(planned: PlannedTry, file: string, options: TryOptions, io: Io): Promise<Result | null> {
  const { text, warnings } = planned;
  for (const warning of warnings) io.stderr.write(`${wrapLines(`warning: ${warning}`, io.errorColumns)}\n\n`);
  io.stderr.write(
    `This stands for the experiment file ${path.basename(file)}:\n\n${text.replaceAll(/^(?=.)/gm, '  ')}\n`,
  );
  if (options.keepFile !== undefined) {
    makeSafeFolder(path.dirname(file), otherFolder);
    await writeFileIn(path.dirname(file), path.basename(file), text);
    io.stderr.write(`Kept as ${options.keepFile}.\n`);
  }
  const onTriedOut = ({ seconds }: TriedOut): void => requireFit(planned, seconds, file, options, io);
  try {
    const loaded = await loadToRun({ file, text }, { ...options, local: true, mayInstall: !options.dryRun }, io);
    return await carryOutHere(loaded, { load: true, run: true }, { ...options, onTriedOut, isMadeUp: true }, io);
  } catch (error) {
    if (!(error instanceof UnfitTrials)) throw error;
    const { transactionSeconds } = error;
    const fitting = planTry(file, options, transactionSeconds, io);
    io.stderr.write(`${wrapLines(fitWords(options, transactionSeconds, fitting.trials), io.errorColumns)}\n\n`);
    return carryOutPlanned(fitting, file, options, io);
  }
}

/** Trials that are shorter than those that fit by no more than this factor still fit. */
const tolerance = 1.5;

/** @throws {UnfitTrials} if trials that fit are much longer, or decide by another metric */
function requireFit(
  { trials, transactionSeconds }: PlannedTry,
  seconds: number,
  file: string,
  options: TryOptions,
  io: Io,
): void {
  const longest = Math.max(transactionSeconds ?? 0, seconds);
  const { trials: fitting } = planTry(file, options, longest, io);
  if (fitting.metric !== trials.metric || fitting.seconds > tolerance * trials.seconds) throw new UnfitTrials(longest);
}

const otherFolder = 'choose another folder';

function requireNewExperiment(file: string, shown: string): void {
  if (!file.endsWith('.yaml')) throw new UserError(`--keep-file ${shown}: expected the path of a new file NAME.yaml.`);
  if (exists(file)) throw new UserError(`--keep-file ${shown}: this file exists already. Choose another name.`);
  requireSafePath(path.dirname(file), otherFolder);
}

/** Ten minutes, load and all, is what a try may take. */
const mostSeconds = 600;

/** No more variants ever fit: the first look comes after six blocks at the earliest, and a trial takes a second at least. */
const mostVariants = mostSeconds / 6;

interface PlannedTry {
  text: string;
  experiment: Experiment;
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
function planTry(file: string, options: TryOptions, transactionSeconds: number | null, io: Io): PlannedTry {
  requireMeaningful(options, io);
  const combinations = combinationsOf(axesOf(options));
  const candidates = trialsFor(options, sizesFor(options), transactionSeconds);
  const textWith = (protocol: { blocks: number }, trials: TryTrials, variants = combinations.count): string => {
    const made = { file, protocol, combinations: combinations.first(variants), trials };
    return `# ${commandOf(options)}\n${stringify(experimentFor(made, options, io), { lineWidth: 110 })}`;
  };
  const blocksOf = (variants: number, trials = candidates[0]) => {
    const source = { file, text: textWith({ blocks: 30 }, trials, variants) };
    const loaded = loadExperiment(source, { folder: io.workingFolder, profile: 'local', seed: 1 });
    const experiment = atFirstLevel(loaded.experiment);
    const times = timesOf(experiment, loaded.profile, variants * overrunSeconds(options, transactionSeconds));
    const affordable = Math.floor((mostSeconds - times.before) / times.block);
    return { experiment, trials, times, fewest: fewestBlocks(experiment), affordable };
  };
  const fits = ({ fewest, affordable }: ReturnType<typeof blocksOf>): boolean => fewest <= affordable;
  const planned =
    combinations.count > mostVariants ? [] : candidates.map((trials) => blocksOf(combinations.count, trials));
  const wanted = planned.find(fits) ?? planned.at(-1);
  if (wanted && !fits(wanted) && transactionSeconds !== null && options.seconds === undefined) {
    const { fewest: blocks, times } = wanted;
    const atLeast = { blocks, seconds: times.before + blocks * times.block };
    throw tooLong(options, { transactionSeconds, variants: combinations.count, atLeast });
  }
  if (!wanted || (combinations.count > 2 && !fits(wanted))) {
    throw tooMany(combinations.count, (variants) => fits(blocksOf(variants)));
  }
  const { experiment, trials, fewest, affordable } = wanted;
  const warnings = [
    ...(!fits(wanted)
      ? [
          `even ${fewest} blocks, the fewest for a verdict, take longer than the ten minutes of a try. Shorten the trials (--seconds).`,
        ]
      : []),
    ...unreachedTimeout(options.set, experiment),
  ];
  // A fifth of the time is for blocks that are measured again, and for those that later starts of the question take.
  const blocks = Math.max(Math.floor(0.8 * affordable), fewest);
  return { text: textWith({ blocks }, trials), experiment, trials, transactionSeconds, warnings };
}

/**
 * Seconds before the first block, and of each block.
 *
 * @param overrun by which a block takes longer than its trials are planned
 */
function timesOf(experiment: Experiment, profile: string, overrun: number): { before: number; block: number } {
  const { steps, expectedSeconds } = makePlan(experiment, profile);
  const measured = steps.reduce((sum, step) => sum + (step.kind === 'measure' ? (step.expectedSeconds ?? 0) : 0), 0);
  return {
    before: (expectedSeconds ?? 0) - measured,
    block: measured / experiment.protocol.blocks + overrun,
  };
}

/** @param fits whether there is time for this number of variants */
function tooMany(count: number, fits: (variants: number) => boolean): UserError {
  let most = 1;
  while (most < mostVariants && fits(most + 1)) most++;
  const asked = `This asks for ${count.toLocaleString('en')} variants, one for each value or combination of values`;
  return new UserError(
    most > 1
      ? `${asked}. The ten minutes of a try are enough for ${most}. Compare fewer values, or shorten the trials (--seconds).`
      : `${asked}. With trials this long, the ten minutes of a try are not even enough for two. Shorten the trials (--seconds), and compare fewer values.`,
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
    `a checkpoint precedes each trial, and the trial ends within ${longest} s, before any checkpoint_timeout here. If WAL does not begin a checkpoint either, there will be no verdict. Compare shorter times, or lengthen the trials (--seconds).`,
  ];
}
