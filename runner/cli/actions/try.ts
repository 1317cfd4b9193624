import path from 'node:path';
import { isSettled } from '../../contract/comparison.ts';
import type { Warning } from '../../contract/warnings.ts';
import { KeyError, UnfitTrials, UserError } from '../../contract/errors.ts';
import { codeOfOptions } from '../../experiment/trust.ts';
import { exists, realPath } from '../../files/look.ts';
import { whyNoInput } from '../../files/named-input.ts';
import { requireSafePath } from '../../files/open-folder.ts';
import { makeSafeFolder, writeFileIn } from '../../files/write.ts';
import { validateServers } from '../../places/local/room.ts';
import { type Handover, newHandover } from '../../run/handover.ts';
import { isCopied } from '../../run/inputs.ts';
import {
  allowActivityOption,
  bindirOption,
  count,
  failOnOption,
  liveOption,
  outOption,
  quietMachineOption,
  quietOption,
  seedOption,
  trustOption,
  verboseOption,
} from '../options.ts';
import {
  baselineOption,
  commandOf,
  hintOfSet,
  prepareOption,
  serverOption,
  setOption,
  type TryOptions,
  versionsOption,
} from '../try-options.ts';
import type { Declare } from '../verb.ts';
import { type Io, say } from '../io.ts';
import { runLocal } from './run-verb.ts';
import type { PlannedRun } from '../../run/run-shape.ts';
import type { Result } from '../../contract/result.ts';
import type { TriedOut } from '../../workloads/load-generator.ts';
import { type Consent, consentTo } from './consent.ts';
import { loadRunCommand } from './load-run-command.ts';
import { loadToRun } from './load-to-run.ts';
import { showBeginning } from './prepare-run.ts';
import { axesOf, experimentName, isOwnScript } from './try-experiment.ts';
import { fitWords, type PlannedTry, planTry } from './try-plan.ts';
import { inOptions } from './try-mistakes.ts';
import { loadRunHere } from '../../report/sections/repeat.ts';

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
    throw inOptions(error);
  }
}

async function carryOutTry(options: TryOptions, io: Io): Promise<void> {
  const file = path.resolve(io.workingFolder, options.keepFile ?? `${experimentName(axesOf(options))}.yaml`);
  if (options.keepFile !== undefined) requireNewExperiment(file, options.keepFile);
  const planned = await planTry(file, options, null, io);
  const { experiment } = planned;
  const foreign: Warning[] = [];
  const consent = await consentTo(codeOfOptions(planned, path.dirname(file)), { ...options, warnings: foreign }, io);
  planned.warnings.push(...foreign.map(({ message }) => message));
  if (options.server === undefined)
    await validateServers(experiment, {
      ...io,
      explicit: options.pgBindir,
      folder: path.dirname(file),
      say: (line) => say(line, io),
      isElsewhere: options.dryRun === true,
    });
  const handover = newHandover();
  let result: Result | null;
  try {
    result = await carryOutPlanned(planned, { file, handover, consent, options }, io);
  } catch (error) {
    if (io.signal.aborted) say(`Nothing was measured. To begin again: ${commandOf(options)}`, io);
    else if (error instanceof KeyError) say(adviceOnKeys(options), io);
    throw error;
  } finally {
    await handover.close();
  }
  io.signal.throwIfAborted();
  if (options.dryRun) return;
  const repeat = options.keepFile ?? path.join(options.out, path.basename(file, '.yaml'), 'latest');
  const how = { ...options, filesIn: foldersToName(options, io), isFound: options.server !== undefined };
  const lines = [
    ...(options.verbose ? [`Again: ${loadRunCommand(repeat, how)}`] : []),
    ...adviceOnDump(options, io),
    ...(options.verbose && result && !isAnswered(result) ? [adviceOnKeys(options)] : []),
  ];
  for (const line of lines) say(line, io);
}

/** A repeat reads the dump anew where it is, unless the run has a copy of it. Whoever deletes the dump must know. */
export function adviceOnDump(
  { dump, keepFile }: Pick<TryOptions, 'dump' | 'keepFile'>,
  io: Pick<Io, 'workingFolder'>,
): string[] {
  if (dump === undefined || (keepFile === undefined && isCopied(path.resolve(io.workingFolder, dump)))) return [];
  return [`That reads ${dump} again. Keep it where it is: the results do not contain it.`];
}

/** Folders that a run of the kept file must name, since the file may not name what is in them by itself. */
function foldersToName(options: TryOptions, io: Io): string[] {
  const { dump, script, keepFile } = options;
  if (keepFile === undefined) return [];
  const bounds = { file: path.resolve(io.workingFolder, keepFile), workingFolder: io.workingFolder, named: [] };
  const files = [dump, isOwnScript(options) ? script : undefined].flatMap((one) =>
    one === undefined ? [] : path.resolve(io.workingFolder, one),
  );
  const outside = files.filter((file) => whyNoInput(file, bounds) !== null);
  return [...new Set(outside.map((file) => path.dirname(realPath(file))))];
}

interface Trying {
  /** Path of the experiment file that the options stand for. */
  file: string;
  handover: Handover;
  consent: Consent;
  options: TryOptions;
}

/**
 * Carries out a planned try. A script of the user is tried on the first server, and the plan is shown only then. If the
 * trials do not fit its transactions, the same servers get others.
 */
async function carryOutPlanned(planned: PlannedTry, trying: Trying, io: Io): Promise<Result | null> {
  const { file, handover, consent, options } = trying;
  const { text, transactionSeconds, experiment } = planned;
  const isLater = transactionSeconds === null && isOwnScript(options) && !options.dryRun;
  if (isLater) {
    const [first] = Object.keys(experiment.variants);
    const words = `First, pgduet loads ${first} and tests ${options.script} on it: its duration sets the trial length.`;
    say(`${words}\n`, io);
  } else await showFile(planned, trying, io);
  let isShown = !isLater;
  const more = fileHint(options);
  async function onTriedOut(found: TriedOut | null, { plan, experiment: shown }: PlannedRun): Promise<void> {
    await requireFit(planned, found?.seconds ?? 0, trying, io);
    if (isShown) return;
    isShown = true;
    await showFile(planned, trying, io);
    showBeginning({ plan, experiment: shown, costs: null }, { ...options, more }, io);
  }
  try {
    const loaded = await loadToRun({ file, text }, { ...options, local: true, mayInstall: !options.dryRun }, io);
    const madeUp = {
      consent,
      onTriedOut,
      more,
      isLater,
      handover,
    };
    return await runLocal(loaded, { load: true, run: true }, { ...options, ...madeUp }, io);
  } catch (error) {
    if (!(error instanceof UnfitTrials)) throw error;
    const fitting = await planTry(file, options, error.transactionSeconds, io);
    say(`${fitWords(options, error.transactionSeconds, fitting.trials)}\n`, io);
    return carryOutPlanned(fitting, trying, io);
  }
}

/** Where the experiment file is that the options stand for. */
function fileHint({ keepFile }: TryOptions): string {
  return keepFile === undefined
    ? 'Add -v to see the experiment file, or --keep-file NAME.yaml to save it.'
    : `The experiment file is saved as ${keepFile}.`;
}

/** Writes the experiment file that the options stand for if the user wants to keep it, and shows it on request. */
async function showFile({ text, warnings }: PlannedTry, { file, options }: Trying, io: Io): Promise<void> {
  io.statusLine?.clear();
  for (const warning of warnings) say(`warning: ${warning}\n`, io);
  if (options.verbose || options.dryRun) {
    const name = path.basename(file);
    io.stderr.write(`Equivalent experiment file, ${name}:\n\n${text.replaceAll(/^(?=.)/gm, '  ')}\n`);
  }
  if (options.keepFile === undefined) return;
  makeSafeFolder(path.dirname(file), otherFolder);
  await writeFileIn(path.dirname(file), path.basename(file), text);
  if (options.dryRun) say(fileHint(options), io);
}

/** Trials that are shorter than those that fit by no more than this factor still fit. */
const tolerance = 1.5;

/** @throws {UnfitTrials} if trials that fit are much longer, or decide by another metric; the servers are handed over */
async function requireFit(
  { trials, transactionSeconds }: PlannedTry,
  seconds: number,
  { file, handover, options }: Trying,
  io: Io,
): Promise<void> {
  const longest = Math.max(transactionSeconds ?? 0, seconds);
  const { trials: fitting } = await planTry(file, options, longest, io);
  if (fitting.metric === trials.metric && fitting.seconds <= tolerance * trials.seconds) return;
  handover.handOver();
  throw new UnfitTrials(longest);
}

/** Whether a result settles the question of a try, so that nothing needs to be advised. */
export function isAnswered({ complete, comparisons }: Pick<Result, 'complete' | 'comparisons'>): boolean {
  return complete && comparisons.every(({ primary, verdict }) => !primary || isSettled(verdict));
}

/** What a report or an error advises may concern keys of the experiment file for which `try` has no option. */
export function adviceOnKeys({ keepFile, server }: Pick<TryOptions, 'keepFile' | 'server'>): string {
  const options = 'try has options for trial length (--seconds), clients (--clients) and data size (--scale).';
  const command = loadRunHere(keepFile ?? 'NAME.yaml', { isFound: server !== undefined });
  return keepFile === undefined
    ? `${options} For other keys, such as protocol.blocks: save the file with --keep-file NAME.yaml, edit it, then run: ${command}`
    : `${options} For other keys, such as protocol.blocks: edit ${keepFile}, then run: ${command}`;
}

const otherFolder = 'choose another folder';

function requireNewExperiment(file: string, shown: string): void {
  if (!file.endsWith('.yaml')) throw new UserError(`--keep-file ${shown}: expected the path of a new file NAME.yaml.`);
  if (exists(file)) throw new UserError(`--keep-file ${shown}: this file already exists. Choose another name.`);
  requireSafePath(path.dirname(file), otherFolder);
}

export const declare: Declare = (command, io) => {
  command
    .addOption(setOption())
    .addOption(versionsOption())
    .addOption(prepareOption())
    .addOption(baselineOption())
    .addOption(serverOption())
    .addOption(allowActivityOption())
    .option('--dump <file>', 'your own data, from a pg_dump file, instead of pgbench’s tables')
    .configureOutput({ outputError: (text, write) => write(`${text}${hintOfSet(command.args)}`) })
    .option('--script <script>', 'your pgbench script file, or a built-in script (default: simple-update)')
    .option('--scale <number>', 'pgbench scale factor (default: 10, or 50 to compare checkpoints)', count)
    .option('--clients <number>', 'concurrent clients (default: one per CPU, at most 4)', count)
    .option('--seconds <number>', 'trial length (default: 5, or 20 to compare checkpoints)', count)
    .option('--keep-file <path>', 'also save the experiment file, so you can edit and rerun it')
    .addOption(seedOption())
    .addOption(quietMachineOption())
    .addOption(outOption())
    .addOption(bindirOption())
    .addOption(trustOption())
    .addOption(failOnOption())
    .addOption(liveOption())
    .option('--dry-run', 'print the experiment file and the plan, then exit')
    .addOption(quietOption())
    .addOption(verboseOption())
    .option('--json', 'print the result as JSON')
    .action((options: TryOptions) => trySettings(options, io));
};
