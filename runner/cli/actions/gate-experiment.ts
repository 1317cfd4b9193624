import path from 'node:path';
import { stringify } from 'yaml';
import { UserError } from '../../contract/errors.ts';
import type { WrittenExperiment } from '../../contract/experiment/schema.ts';
import type { NamedCode } from '../../contract/experiment/source.ts';
import { isSqlFile, isSqlFolder, type Variant } from '../../contract/experiment/variant.ts';
import { list } from '../../contract/format.ts';
import { appliedProfiles } from '../../experiment/file/profiles.ts';

/** One of the two commits of a gate, with what is measured of it. */
export interface GateSide {
  /** As the user named it. */
  ref: string;
  /** Full hash. */
  commit: string;
  variant: Omit<Variant, 'description'>;
}

/** The variants of a gate. The last one repeats the first: what differs between these two is noise. */
export const sides = { base: 'base', head: 'head', repeat: 'base-repeat' } as const;

/** Of the name of an experiment, so that the gate's own may follow. */
const maxName = 35;

export const gateName = (experiment: string): string => `${experiment.slice(0, maxName).replace(/-+$/, '')}-gate`;

/** The variant whose files are taken from both commits. @throws {UserError} if there is no such variant */
export function gatedVariant({ variants, baseline }: WrittenExperiment, named: string | undefined): Variant {
  const variant = variants[named ?? baseline];
  if (variant) return variant;
  throw new UserError(
    `--variant ${named ?? baseline}: the experiment has no such variant. It has ${list(Object.keys(variants))}.`,
  );
}

/** Whether an element of `prepare` is a file or a folder, and no statement. */
function namesFiles(element: string): boolean {
  return isSqlFile(element) || isSqlFolder(element);
}

/** The files and folders that a variant names, as it names them. */
export function namedBy({ prepare = [], scripts = [] }: Pick<Variant, 'prepare' | 'scripts'>): string[] {
  return [...prepare.filter(namesFiles), ...scripts.flatMap((one) => ('file' in one ? one.file : []))];
}

/**
 * A variant whose files lie elsewhere. What is not there is left out of `prepare`, such as a file that a commit does not have yet.
 *
 * @param placeOf path of a file or a folder there; null if it is not there
 * @throws {UserError} if a script is not there: without it, there is no load
 */
export function withFilesAt(
  { prepare, scripts, description: _, ...variant }: Variant,
  placeOf: (name: string) => string | null,
  commit: string,
): Omit<Variant, 'description'> {
  const prepared = prepare?.flatMap((one) => (namesFiles(one) ? (placeOf(one) ?? []) : one));
  return {
    ...variant,
    prepare: prepared?.length === 0 ? undefined : prepared,
    scripts: scripts?.map((one) => {
      if (!('file' in one)) return one;
      const file = placeOf(one.file);
      if (file === null) throw new UserError(`The script ${one.file} is not in commit ${commit}. Add it there first.`);
      return { ...one, file };
    }),
  };
}

/** The text of the experiment that a gate measures: two commits, and the first one again. */
export function gateText(
  written: WrittenExperiment,
  profile: string,
  { base, head, ...how }: { base: GateSide; head: GateSide; blocks: number; hours: number; threshold: number },
): string {
  const { name, workload, protocol, ladder, decision, collect, sampleSeconds } = written;
  const [before, after] = [commitWords(base), commitWords(head)];
  return stringify({
    name: gateName(name),
    question: `Is ${after} slower than ${before} under the load of ${name}?`,
    variants: {
      [sides.base]: { description: before, ...base.variant },
      [sides.head]: { description: after, ...head.variant },
      [sides.repeat]: { description: `${before}, repeated`, ...base.variant },
    },
    baseline: sides.base,
    ...{ workload, ladder, collect },
    protocol: { ...protocol, blocks: how.blocks, until: 'verdict', stopForFutility: true },
    decision: { ...decision, practicalThreshold: how.threshold },
    limits: { hours: how.hours },
    ...(sampleSeconds !== undefined && { sampleSeconds }),
    profiles: appliedProfiles(profile),
  });
}

/** Such as `abc1234 (main)`. */
export function commitWords({ ref, commit }: { ref: string; commit: string }): string {
  const short = commit.slice(0, 7);
  return commit.startsWith(ref) ? short : `${short} (${ref})`;
}

/**
 * A variant whose server and extension are built from this commit, where they are built from the repository. A folder of the working tree
 * becomes the same folder of the commit.
 */
export function withSourceAt<V extends Pick<Variant, 'engine' | 'extension'>>(
  variant: V,
  isOfRepository: (folder: string) => boolean,
  commit: string,
): V {
  const at = <S extends NamedCode>({ path: folder, git = folder, ...source }: S): S =>
    git !== undefined && isOfRepository(git)
      ? ({ ...source, git, commit } as unknown as S)
      : ({ ...source, ...(folder === undefined ? { git } : { path: folder }) } as unknown as S);
  const { engine, extension } = variant;
  return {
    ...variant,
    engine: { ...engine, ...(engine.source && { source: at(engine.source) }) },
    ...(extension && { extension: { source: at(extension.source) } }),
  };
}

/** Whether something of a variant is built from the repository. */
export function isBuilt({ engine, extension }: Variant, isOfRepository: (folder: string) => boolean): boolean {
  return [engine.source, extension?.source].some((one) => {
    const from = one?.git ?? one?.path;
    return from !== undefined && isOfRepository(from);
  });
}

/** The path of a file of an experiment, from the top of its repository; null if it lies outside of that. */
export function inRepository(name: string, experimentFolder: string, repository: string): string | null {
  const within = path.relative(repository, path.resolve(experimentFolder, name));
  return within.startsWith('..') || path.isAbsolute(within) ? null : within;
}
