import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { Plan } from '../contract/plan.ts';
import type { UsedTool } from '../contract/run-record.ts';
import { makeFolder, pointTo, writeFileIn } from '../files/write.ts';
import { exists, realPath, sizeOf, stateOf, writtenStateOf } from '../files/look.ts';
import { commonFolder, readersOf } from '../files/named-input.ts';
import { largestCopy, readFileWhole } from '../files/read.ts';
import { planFile } from '../storage/run-files.ts';
import { hashLargeFiles } from '../workloads/loaded-with.ts';
import { filesOf } from '../workloads/of-variants.ts';

/** What a run is made from, as it was when the run was prepared. */
export interface RunInputs {
  /** Absolute path of the experiment file. */
  file: string;
  /** What was read from it. */
  text: string;
  /** What relative paths of source code start from: the folder of the file, or of the file that the repeated run had. */
  codeFolder?: string;
  /** SHA-256 of the workload's files if a run is repeated; absent otherwise. */
  filesOfRun?: Readonly<Record<string, string>>;
  /** The same of somebody else's files, as they were when the user agreed to run them; absent for one's own. */
  agreed?: Readonly<Record<string, string>> | undefined;
  /** The user's own mark of a text (files/own-mark.ts), or null; absent on a driver. */
  markOf?: (text: string) => Promise<string | null>;
  /** File with the kept prices of the Region; absent on this machine. */
  prices?: string;
}

/** What relative paths of source code start from. */
export const codeFolderOf = ({ file, codeFolder }: Pick<RunInputs, 'file' | 'codeFolder'>): string =>
  codeFolder ?? path.dirname(file);

/** The copy that a run works with, so that an edit does not change a run that is under way. */
export interface KeptInputs {
  /** Folder that the paths of the workload's files are relative to. */
  scriptFolder: string;
  /** The experiment file, relative to the folder of the run. */
  experimentFile: string;
  /**
   * @param when `load` for files that data is loaded from, `trial` for what trials read
   * @throws {UserError} if a file has changed since the run was prepared; the signal's reason if the run ends
   */
  requireUnchanged: (when: 'load' | 'trial') => Promise<void>;
  /**
   * A new link to a file, or other permissions, do not count as a change.
   *
   * @throws {UserError} if a file that trials read was changed since `requireUnchanged`, even if it was restored
   */
  requireUntouched: () => Promise<void>;
}

const inputsFolder = 'inputs';

/** Whether a run copies this file into its folder. It checks others before they are read. */
export function isCopied(file: string): boolean {
  return sizeOf(file) <= largestCopy;
}

/**
 * Copies what the run is made from into its folder, unless an earlier start did:
 *
 *     inputs/plan.json, inputs/prices.json
 *     inputs/files/...   the experiment file and the workload's files, in the same relative places
 *
 * @throws {UserError} if a file has changed since the run was prepared
 */
export async function keepInputs(
  {
    inputs,
    plan,
    experiment,
    driver,
    signal,
  }: {
    inputs: RunInputs;
    plan: Plan;
    experiment: Experiment;
    driver: { tool: Pick<UsedTool, 'files'> };
    signal: AbortSignal;
  },
  folder: string,
): Promise<KeptInputs> {
  const { all: names, load: loadFiles, trial: trialFiles } = filesOf(experiment);
  const source = path.dirname(inputs.file);
  // An absolute path bypasses the copy and leads to the file itself.
  const copied = names.filter((name) => !path.isAbsolute(name));
  const above = commonFolder([source, ...copied.map((name) => path.dirname(path.resolve(source, name)))]);
  const root = path.join(folder, inputsFolder, 'files');
  const scriptFolder = path.join(root, path.relative(above, source));
  const file = path.join(scriptFolder, path.basename(inputs.file));
  if (!exists(file)) {
    const within = (place: string): string => path.relative(folder, place);
    for (const name of copied) {
      await keepFile(path.resolve(source, name), { source, folder, name: within(path.resolve(scriptFolder, name)) });
    }
    await writeFileIn(folder, planFile, `${JSON.stringify(plan, null, 2)}\n`);
    if (inputs.prices !== undefined && exists(inputs.prices)) {
      await writeFileIn(folder, path.join(inputsFolder, 'prices.json'), readFileWhole(inputs.prices));
    }
    await writeFileIn(folder, within(file), inputs.text);
  }

  const placeOf = (name: string): string => path.resolve(scriptFolder, name);
  const hashOf = async (name: string): Promise<string | undefined> =>
    (await hashLargeFiles([name], scriptFolder, signal))[name];
  const lookAt = (name: string): { state: string; written: string } => ({
    state: stateOf(placeOf(name)),
    written: writtenStateOf(placeOf(name)),
  });
  const observed = new Map<string, ReturnType<typeof lookAt>>();
  const isAsSeen = (name: string): boolean => observed.get(name)?.state === stateOf(placeOf(name));
  async function requireUnchanged(when: 'load' | 'trial'): Promise<void> {
    for (const name of when === 'load' ? loadFiles : trialFiles) {
      if (isAsSeen(name)) continue;
      // A change during this reading is noticed the next time.
      const before = lookAt(name);
      const then = driver.tool.files[name];
      const now = await hashOf(name);
      if (then !== now) {
        throw new UserError(
          `${placeOf(name)} was changed after the run was prepared (SHA-256 ${then ?? 'unknown'} then, ${now ?? 'unknown'} now). Restore it, or start a new run.`,
          { failure: 'input-changed' },
        );
      }
      observed.set(name, before);
    }
  }
  async function isUntouched(name: string): Promise<boolean> {
    if (isAsSeen(name)) return true;
    if (observed.get(name)?.written !== writtenStateOf(placeOf(name))) return false;
    const now = await hashOf(name).catch(() => null);
    signal.throwIfAborted();
    return now === driver.tool.files[name];
  }
  async function requireUntouched(): Promise<void> {
    const changed: string[] = [];
    for (const name of trialFiles) if (!(await isUntouched(name))) changed.push(placeOf(name));
    if (changed.length > 0)
      throw new UserError(`${changed.join(' and ')} changed during the trial`, { failure: 'input-changed' });
  }
  await requireUnchanged('trial');
  return { scriptFolder, experimentFile: path.relative(folder, file), requireUnchanged, requireUntouched };
}

/** Of a file that not everybody may read, only this user may read the copy. */
async function keepFile(
  from: string,
  { source, folder, name }: { source: string; folder: string; name: string },
): Promise<void> {
  if (isCopied(from)) {
    await writeFileIn(folder, name, readFileWhole(from), { readers: readersOf(from, source) });
    return;
  }
  const link = path.join(folder, name);
  makeFolder(path.dirname(link));
  pointTo(realPath(from), link);
}
