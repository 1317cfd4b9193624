import { UserError } from '../contract/errors.ts';
import type { WrittenExperiment } from '../contract/experiment/schema.ts';
import type { Result } from '../contract/result.ts';
import type { RunRecord } from '../contract/run-record.ts';
import { serverName } from '../contract/server.ts';
import { besideEarlier } from '../analysis/earlier-starts.ts';
import type { OnEvent } from '../contract/status.ts';
import { readResultsBeside } from '../storage/results-folder.ts';

/**
 * What must be the same in every start of a run. Otherwise the run would have trials of different kinds, and their
 * comparison would show the difference between the kinds.
 */
export type RunIdentity = Readonly<Record<string, unknown>>;

export function identityOf(run: RunRecord): RunIdentity {
  return { ...identityOfWork(run), ...identityOfDriver(run), ...identityOfServers(run) };
}

/**
 * The experiment with the files that it names, and the version of pgduet. All of this is known before anything starts.
 */
export function identityOfWork({ experiment, toolVersion, tool }: WorkRecord): RunIdentity {
  return {
    profile: experiment.profile,
    experiment: experiment.definition,
    files: tool?.files,
    pgduet: toolVersion,
  };
}

/** The part of a run's record that describes its work. */
export interface WorkRecord {
  experiment: { profile: string; definition: WrittenExperiment };
  toolVersion: string;
  tool?: { files: Readonly<Record<string, string>> } | undefined;
}

/** The machine that generates the load, and its load generator. A disk may have another name after a reboot. */
function identityOfDriver({ machine, tool }: RunRecord): RunIdentity {
  const { disk, ...fileSystem } = machine?.fileSystem ?? {};
  return {
    machine: { ...machine, fileSystem: { ...fileSystem, disk: { ...disk, device: undefined } } },
    tool: { name: tool?.name, version: tool?.version },
  };
}

/** The servers, with their volumes. */
function identityOfServers({ place, variants }: RunRecord): RunIdentity {
  return {
    place: place.description,
    servers: Object.fromEntries(
      variants.map(({ name, replica, serverVersion, serverBuild, built, settings }) => [
        serverName({ variant: name, replica }),
        { version: serverVersion, build: serverBuild, built, settings },
      ]),
    ),
  };
}

export interface Difference {
  /** Such as `experiment.workload.clients`. */
  name: string;
  then: string;
  now: string;
}

/** The differences, each with its path in the identity. */
export function differencesBetween(then: RunIdentity, now: RunIdentity): Difference[] {
  const [before, after] = [flat(then), flat(now)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, present] = [before.get(name) ?? 'nothing', after.get(name) ?? 'nothing'];
    return old === present || isSameMemory(name, old, present) ? [] : [{ name, then: old, now: present }];
  });
}

/** The kernel keeps some memory for itself, and not always as much: after a reboot or an update, the same machine has a little more or less. */
function isSameMemory(name: string, then: string, now: string): boolean {
  const [one, other] = [Number(then), Number(now)];
  return name === 'machine.memoryBytes' && Math.abs(one - other) <= maxMemoryShift * Math.max(one, other);
}

/** Machines that are sold differ by more. */
const maxMemoryShift = 0.02;

/**
 * @param location of the earlier start's results
 * @throws {UserError} that names each difference, with both values
 */
export function requireSame(location: string, then: RunIdentity, now: RunIdentity): void {
  const differences = differencesBetween(then, now);
  if (differences.length === 0) return;
  throw new UserError(
    [
      `--resume: ${location} measured something different, so new trials cannot be added to it:`,
      ...differences.map(({ name, then: old, now: present }) => `  ${name}: ${old} then, ${present} now`),
      'Omit --resume to start a new run.',
    ].join('\n'),
  );
}

/** The single values below a value, by their paths, without undefined and empty ones. */
function flat(value: unknown, path = ''): Map<string, string> {
  if (value === undefined) return new Map();
  if (typeof value !== 'object' || value === null) {
    return new Map([[path, typeof value === 'string' ? value : JSON.stringify(value)]]);
  }
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [...flat(inner, path === '' ? key : `${path}.${key}`)]),
  );
}

/**
 * The result together with those of earlier starts of the same work, from the folders beside this run's. These must
 * have the same experiment and profile, the same pgduet, load generator and machine, and the same servers with the same
 * settings. Only the seed, the number of blocks and words may differ. A start that its manifest does not vouch for is left out.
 *
 * @param report receives a warning for each start that is left out
 */
export function withEarlierStarts(result: Result, folder: string, report: OnEvent): Result {
  const own = identityOfStart(result);
  const same = readResultsBeside(folder).filter(
    ({ head }) => differencesBetween(own, identityOfStart(head)).length === 0,
  );
  for (const { doubt } of same) {
    if (doubt !== null) report({ kind: 'warning', text: `An earlier run is excluded: ${doubt}` });
  }
  const known = same.flatMap(({ head, doubt }) => (doubt === null ? [head] : []));
  const earlier = besideEarlier(result, known, result.experiment.definition.decision.level);
  return earlier.length === 0 ? result : { ...result, earlier };
}

/** What makes two runs the same. Every start draws its own seed, and may have more blocks. Words change nothing. */
export function identityOfStart(run: RunRecord): RunIdentity {
  const { question: _, variants: described, ...definition } = run.experiment.definition;
  const { seed, blocks, ...protocol } = definition.protocol;
  const variants = Object.fromEntries(
    Object.entries(described).map(([name, { description, ...variant }]) => [name, variant]),
  );
  return { ...identityOf(run), experiment: { ...definition, variants, protocol } };
}
