import { warningsOf } from '../contract/warnings.ts';
import path from 'node:path';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { arch, cpus, hostname, release, type } from 'node:os';
import type { VariantFindings } from '../collect/collector.ts';
import type { Machine, ResultVariant, RunRecord } from '../contract/run-record.ts';
import { serverName, serversOf } from '../contract/server.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { allowedProcessors, capacity } from '../machine/capacity.ts';
import { type Mount, parseMountInfo } from '../machine/mount-info.ts';
import { targetAt } from '../places/place.ts';
import { withConnection } from '../postgres/connect.ts';
import { type AskedOfServer, readInForce, unprovedParameters } from '../postgres/in-force.ts';
import type { ActiveRun, Driver } from './run-shape.ts';
import { codeFolderOf, type RunInputs } from './inputs.ts';
import { UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { otherFileRemedy } from '../experiment/file/check-files.ts';
import { reducedRights } from '../process/rights.ts';
import { codeHash } from '../experiment/trust.ts';
import { hashLargeFiles } from '../workloads/loaded-with.ts';
import { filesOf, workloadsOf } from '../workloads/of-variants.ts';
import { toolOf } from '../workloads/registry.ts';

/** What the servers of the variants say about themselves. pgduet asks them once, while all of them run. */
export async function describeVariants({
  place,
  plan,
  experiment,
  collectors,
  costs,
}: ActiveRun): Promise<ResultVariant[]> {
  const described: ResultVariant[] = [];
  const targets = serversOf(plan.variants, plan.replicas).map((server) => ({
    server,
    target: targetAt(place, server),
  }));
  const names = namesAskedOfAny(targets.map(({ target }) => target));
  for (const { server, target } of targets) {
    const { variant: name, replica } = server;
    const definition = experiment.variants[name];
    const cost = costs?.get(name);
    const { findings, version, parameters, build } = await withConnection(target, async (client) => {
      const findings: VariantFindings[] = [];
      for (const collector of collectors) {
        const reported = await collector.describe?.({
          variant: name,
          parameters: names,
          database: (use) => use(client),
        });
        if (reported) findings.push(reported);
      }
      const { rows } = await client.query<{ build: string }>('SELECT version() AS build');
      return { findings, build: rows[0]?.build, ...(await readInForce(client, target.asked.parameters)) };
    });
    described.push({
      name,
      ...(replica === undefined ? {} : { replica: Number(replica) }),
      description: definition?.description ?? null,
      serverVersion: version,
      ...(build === undefined ? {} : { serverBuild: build }),
      settings: Object.assign({}, ...findings.map(({ settings }) => settings ?? {})) as Record<string, string>,
      parameters,
      ...(target.built ? { built: target.built } : {}),
      ...(target.deployed ? { deployed: target.deployed } : {}),
      ...(cost ? { cost } : {}),
    });
  }
  return described;
}

/** Names of the parameters that any variant sets. A variant that does not set one of them has a value of it, too. */
export function namesAskedOfAny(targets: readonly { asked: AskedOfServer }[]): string[] {
  return [...new Set(targets.flatMap(({ asked }) => Object.keys(asked.parameters)))];
}

/** Everything that is known about a run before its first trial. */
export function runRecord(running: ActiveRun, variants: ResultVariant[]): RunRecord {
  const { plan, experiment, place } = running;
  return {
    toolVersion,
    experiment: {
      name: experiment.name,
      question: experiment.question,
      profile: plan.profile,
      baseline: experiment.baseline,
      seed: plan.seed,
      definition: experiment,
      file: running.kept.experimentFile,
      ...(variants.some(({ built }) => built) && {
        codeFolder: path.relative(running.store.folder, codeFolderOf(running.inputs)),
      }),
    },
    place: {
      kind: place.kind,
      description: place.description,
      caveats: [...place.caveats],
      volumes: [...place.volumeChecks],
      ...(place.volumesKind && { volumesKind: place.volumesKind }),
      ...(place.allowActivity && { allowActivity: true }),
      ...(place.bill ? { bill: place.bill } : {}),
    },
    ...running.driver,
    ...(running.starts && { start: running.starts.start }),
    ...(running.ceilings?.length && { ceilings: [...running.ceilings] }),
    startedAt: running.startedAt.toISOString(),
    variants,
    warnings: [...plan.warnings, ...warningsOf('unproved-parameter', unproved(variants))],
  };
}

function unproved(variants: readonly ResultVariant[]): string[] {
  return variants.flatMap(
    ({ name, replica, parameters = [] }) =>
      unprovedParameters(serverName({ variant: name, replica }), { parameters }) ?? [],
  );
}

/**
 * The machine and the load generator of this start. It reads the workload's files once, and the run's copy of them must
 * have the hashes from here (inputs.ts).
 *
 * @param where.programs folder with PostgreSQL's client programs
 * @param where.downloadUntil aborts the tool's download of its program; absent if the tool may not download it
 * @param where.folder folder of the servers, or else of the results
 * @param inputs what the run is made from
 * @param signal ends it, with its reason
 * @throws {UserError} if a file cannot be read, or differs from that of the repeated run, or from what the user agreed to;
 *   if the load generator refuses a script or an option
 */
export async function describeDriver(
  experiment: Experiment,
  where: { programs: string; otherPrograms?: readonly string[]; folder: string; downloadUntil?: AbortSignal },
  inputs: Omit<RunInputs, 'prices'>,
  signal: AbortSignal,
): Promise<Driver> {
  const { workload } = experiment;
  const tool = toolOf(workload);
  const scriptFolder = path.dirname(inputs.file);
  const files = await hashLargeFiles(filesOf(experiment).all, scriptFolder, signal);
  for (const [name, hash] of Object.entries(files)) {
    if (inputs.filesOfRun && inputs.filesOfRun[name] !== hash) {
      throw new UserError(
        `${path.resolve(scriptFolder, name)} differs from the file of the repeated run: ${otherFileRemedy}`,
      );
    }
  }
  for (const [name, then] of Object.entries(inputs.agreed ?? {})) {
    const now = files[name] ?? (await hashLargeFiles([name], scriptFolder, signal))[name];
    if (now === then) continue;
    const file = path.resolve(scriptFolder, name);
    throw new UserError(`${file} changed after you agreed to run it. Read it, then start again.`);
  }
  const version = await tool.version(where.programs, { ...where, scriptFolder, workload, signal });
  for (const own of workloadsOf(experiment)) {
    await tool.validateScripts?.(where.programs, { ...where, workload: own, scriptFolder, signal });
  }
  const { mayGain } = await reducedRights();
  const machine = { ...describeMachine(where.folder), ...(mayGain && { programsMayGainRights: true as const }) };
  const origin = await inputs.markOf?.(codeHash(inputs.text, files));
  return { machine, tool: { name: tool.name, version, files }, ...(typeof origin === 'string' && { origin }) };
}

/**
 * A description of this machine, or of the part of it that pgduet may use, as far as the system reports it.
 *
 * @param folder folder of the servers or results
 * @param root root of the system; another one only in tests
 */
export function describeMachine(folder: string, root = '/'): Machine {
  const system = systemAt(root);
  const { processors, memoryBytes } = capacity(root);
  const cores = coresOf(system, allowedProcessors(root));
  const [fileSystem, virtualisation] = [fileSystemOf(folder, system), virtualisationOf(system)];
  return {
    name: hostname(),
    system: `${type()} ${release()} ${arch()}`,
    processor: cpus()[0]?.model ?? '',
    processors,
    memoryBytes,
    ...(cores > 0 && { cores }),
    ...(fileSystem && { fileSystem }),
    ...(virtualisation !== null && { virtualisation }),
  };
}

/** Reads what Linux reports in /proc and /sys. On another system or in a container, anything may be missing. */
function systemAt(root: string) {
  const read = (file: string): string | null => {
    try {
      return readFileSync(path.join(root, file), 'utf8').trim();
    } catch {
      return null;
    }
  };
  const list = (folder: string): string[] => {
    const whole = path.join(root, folder);
    return existsSync(whole) ? readdirSync(whole) : [];
  };
  return { root, read, list };
}

type System = ReturnType<typeof systemAt>;

/** Several processors may be threads of one core. */
function coresOf({ read, list }: System, allowed: ReadonlySet<number> | null): number {
  const cores = list('sys/devices/system/cpu')
    .filter((name) => /^cpu\d+$/.test(name) && (allowed?.has(Number(name.slice(3))) ?? true))
    .flatMap((name) => {
      const topology = `sys/devices/system/cpu/${name}/topology`;
      const core = read(`${topology}/core_id`);
      return core === null ? [] : [`${read(`${topology}/physical_package_id`) ?? ''} ${core}`];
    });
  return new Set(cores).size;
}

function fileSystemOf(folder: string, system: System): Machine['fileSystem'] {
  const text = system.read('proc/self/mountinfo');
  if (text === null) return undefined;
  const above = (mount: string): boolean => mount === '/' || folder === mount || folder.startsWith(`${mount}/`);
  // If there are several mounts at one place, the last one is visible.
  const mount = parseMountInfo(text)
    .filter((one) => above(one.path))
    .reduce<Mount | null>((best, one) => (best !== null && best.path.length > one.path.length ? best : one), null);
  if (mount === null) return undefined;
  const disk = diskOf(mount.device, system);
  return { type: mount.fileSystem, ...(disk && { disk }) };
}

/** Not every file system has a disk: a container's may consist of several, and tmpfs is memory. */
function diskOf(device: string, { root, read }: System): NonNullable<Machine['fileSystem']>['disk'] {
  const link = path.join(root, 'sys/dev/block', device);
  if (!existsSync(link)) return undefined;
  const own = realpathSync(link);
  const whole = existsSync(path.join(own, 'partition')) ? path.dirname(own) : own;
  const tell = (file: string): string | null => read(path.relative(root, path.join(whole, file)));
  const [model, rotational] = [tell('device/model'), tell('queue/rotational')];
  return {
    device: path.basename(whole),
    ...(model !== null && { model }),
    ...(rotational !== null && { rotational: rotational === '1' }),
  };
}

/** What virtualises the machine; null if nothing shows that it is virtual. */
function virtualisationOf({ read }: System): string | null {
  const product = ['sys_vendor', 'product_name'].map((name) => read(`sys/class/dmi/id/${name}`) ?? '').join(' ');
  const isFlagged = /^flags\s*:.*\bhypervisor\b/m.test(read('proc/cpuinfo') ?? '');
  // ARM processors have no such flag.
  const isNamed =
    /Amazon EC2|QEMU|KVM|VMware|Google Compute|Virtual Machine|Xen/.test(product) && !/metal/.test(product);
  return isFlagged || isNamed ? product.trim() || 'a virtual machine' : null;
}
