import { tmpdir } from 'node:os';
import { codeInWords } from '../contract/built.ts';
import { UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { ownCommand } from '../contract/own-command.ts';
import { roomIn } from '../files/look.ts';
import { capacity, usableProcessors } from '../machine/capacity.ts';
import { chooseBinaries, requirePrograms, serverPrograms } from '../places/local/choose-binaries.ts';
import { findInstallations, withPrograms } from '../places/local/installations.ts';
import { isBuilt } from '../places/local/source/make-once.ts';
import { examineCode, installedOnes, requireForExtensions } from '../places/local/source/sources.ts';
import { requireMemory, requireRoom } from '../places/local/room.ts';
import { checkScripts } from './check-scripts.ts';
import { checker, type CheckOutcome, type Found } from './probe.ts';
import { removeTree } from '../files/write.ts';
import { toolLevels } from '../experiment/plan/design.ts';
import { oneServerExperiment } from '../experiment/schema.ts';
import { findLimitsObstacle, opener } from '../places/local/open.ts';
import { packagesToInstall } from '../places/local/volumes/programs.ts';
import { type Place, targetAt } from '../places/place.ts';
import { declaredVolumes, placeOf } from '../places/registry.ts';
import { makeOwnedFolder } from '../process/owned-folder.ts';
import { reducedRights, serverUser } from '../process/rights.ts';
import { toolOf } from '../workloads/registry.ts';
import { withNoun } from '../contract/format.ts';

/** `engines` in package.json, which npm only warns about. */
const oldestNode = [20, 19] as const;
/** The oldest major version that its makers support. */
const supportedNode = 22;
/** Disk space that a local run of the bundled experiments needs, including what PostgreSQL adds. */
const neededBytes = 5 * 1024 ** 3;

/** Checks whether this machine can run experiments, or one experiment with its versions, volumes and memory. */
export async function checkMachine(
  options: {
    pgBindir: readonly string[] | undefined;
    environment: Readonly<Record<string, string | undefined>>;
    experiment?: Experiment;
    /** Where the experiment's scripts are. */
    scriptFolder: string;
    /** How much of this machine other programs use now; `warning` is null if no trial would suffer from it. */
    otherPrograms: (signal: AbortSignal) => Promise<{ finding: string; warning: string | null }>;
    signal: AbortSignal;
  },
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const { check, outcomes } = checker(report);
  const { experiment } = options;
  // Servers that are elsewhere need nothing of this machine.
  const made = experiment && placeOf(experiment).isMadeByRun ? experiment : undefined;
  await check('node', () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
      throw new UserError(
        `Node ${process.versions.node} is too old. Install ${oldestNode.join('.')} or newer, preferably 22 or 24.`,
      );
    }
    const notes =
      major < supportedNode ? [`Node ${major} no longer gets security updates. Install ${supportedNode} or 24.`] : [];
    return Promise.resolve({ detail: process.versions.node, value: true, notes });
  });
  const hasPostgres = await check('postgresql', async () => {
    const found = await findInstallations({ ...options, explicit: options.pgBindir }, serverPrograms);
    const servers = withPrograms(found.installations, serverPrograms);
    // Without an experiment, check as if one had a variant for each version, and one without a version.
    const asked = servers.map(({ version }) => [version, { engine: { version } }] as const);
    const looking = { ...options, folder: options.scriptFolder, say: () => undefined };
    const examined = made ? await examineCode(made.variants, looking) : null;
    const built = [...(examined?.servers ?? [])].map(
      ([variant, { version, code, folder }]) =>
        `${variant}: ${version} ${isBuilt(folder) ? 'built' : 'to be built'} from ${codeInWords(code.origin)}`,
    );
    const wanted = made ? installedOnes(made.variants) : { any: { engine: {} }, ...Object.fromEntries(asked) };
    if (Object.keys(wanted).length === 0) return { detail: built.join('; '), value: true };
    const chosen = chooseBinaries(wanted, found);
    const { clients } = chosen;
    if (experiment) requirePrograms(experiment, clients.folder);
    if (examined) await requireForExtensions(examined, chosen.servers, looking);
    const shown = servers.map(({ version, folder }) => `${version} in ${folder}`).join(', ');
    return { detail: [shown, `pgbench ${clients.version}`, ...built].join('; '), value: true };
  });
  await check('disk-space', () => {
    const room = roomIn(tmpdir());
    const shown = `${(room / 1024 ** 3).toFixed(1)} GiB in ${tmpdir()}`;
    if (made) requireRoom(made, tmpdir());
    else if (!experiment && room < neededBytes)
      throw new UserError(`Only ${shown} is free. Free up space, or set TMPDIR to another disk.`);
    return Promise.resolve({ detail: shown, value: true });
  });
  if (!experiment || Object.values(experiment.variants).some((variant) => declaredVolumes(variant).areLimited)) {
    await check('volumes', () => findLimits(experiment, options.signal));
  }
  if (made || !experiment) {
    await check('memory', () => {
      if (made) requireMemory(made);
      return Promise.resolve({
        detail: `${(capacity().memoryBytes / 1024 ** 3).toFixed(1)} GiB for all servers`,
        value: true,
      });
    });
  }
  await check('cores', () => {
    const { processors } = capacity();
    if (processors < 2)
      throw new UserError(
        `pgduet may use only ${withNoun(processors, 'CPU')} here, so the load generator and the server would wait for each other. Use a machine or a container with two or more.`,
      );
    return Promise.resolve({ detail: String(processors), value: true });
  });
  await check('rights', async () => {
    const { mayGain } = await reducedRights();
    if (!mayGain) return { detail: `user ${serverUser().uid}; cannot gain any`, value: true };
    return {
      detail: `user ${serverUser().uid}`,
      value: true,
      notes: [
        'Scripts and servers can start programs that gain rights, such as sudo: setpriv was not found, or does not work here. Install util-linux.',
      ],
    };
  });
  if (experiment) await checkScripts(check, experiment, { ...options, explicit: options.pgBindir, isElsewhere: false });
  // Without a PostgreSQL, nothing can be measured, and the check of the load generator would install one.
  if (!hasPostgres) return outcomes;
  await check('other-programs', async () => {
    const { finding, warning } = await options.otherPrograms(options.signal);
    return { detail: finding, value: true, notes: warning === null ? [] : [warning] };
  });
  await check('load-generator', () => findCeiling(experiment, options));
  return outcomes;
}

/** Whether this machine can limit volumes. If not, that is only a note: a run then uses plain folders. */
async function findLimits(experiment: Experiment | undefined, signal: AbortSignal): Promise<Found<boolean>> {
  const obstacle = await findLimitsObstacle({ mayInstall: false, say: () => undefined, signal });
  const missing = packagesToInstall();
  if (obstacle === null && missing.length > 0) {
    return { detail: `to limit their IOPS, a run first installs ${missing.join(', ')}`, value: true };
  }
  if (obstacle === null) return { detail: 'IOPS limits work on this machine', value: true };
  const instead = experiment
    ? 'A run says what it cannot show.'
    : `Other questions need no limits, such as those of ${ownCommand} load-run quick --local, and ${ownCommand} try --set synchronous_commit=on,off.`;
  return {
    detail: 'no IOPS limits (plain folders)',
    value: false,
    notes: [
      `Without IOPS limits, a run cannot show the effect of a log volume. ${sentence(obstacle.reason)} ${obstacle.remedy}. ${instead}`,
    ],
  };
}

function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

/** The name of the experiment that measures the load generator, and of its only variant. */
const server = 'doctor';

/** The cheapest statement. An empty script would be many times as fast as any statement. */
const statement = 'SELECT 1';

/**
 * Measures how many statements a second the load generator reaches on this machine if they cost almost nothing. It uses
 * the highest number of clients of the experiment, or two for each processor. It starts a small server, which shares
 * the processors as in a local run.
 *
 * @param question.scriptFolder where the experiment's scripts are
 * @throws {UserError} if no server can be started here, or the load generator does not run
 */
async function findCeiling(
  experiment: Experiment | undefined,
  question: {
    scriptFolder: string;
    pgBindir: readonly string[] | undefined;
    environment: Readonly<Record<string, string | undefined>>;
    signal: AbortSignal;
  },
): Promise<Found<number | null>> {
  const processors = usableProcessors();
  const small = smallExperiment({ clients: 2 * processors, threads: processors });
  const { workload, collect } = experiment ?? small;
  const tool = toolOf(workload);
  const [max] = toolLevels({ workload })
    .map((level) => tool.resolveLevel(workload, level))
    .sort((one, other) => tool.shape(other).clients - tool.shape(one).clients);
  if (!max) throw new Error('the workload has no level');
  const nobody = (): void => undefined;
  const { programs, open } = await opener.prepare(small, {
    ...question,
    clients: tool.shape(max).clients,
    volumes: 'folders',
    kept: false,
    say: nobody,
    warn: nobody,
  });
  const { path: folder } = makeOwnedFolder();
  let place: Place | undefined;
  try {
    place = await open();
    const generator = await tool.open({ ...question, programs, workload: max, collect });
    if (!generator.ceiling) return { detail: `${tool.name} cannot be measured without its server`, value: null };
    const tps = await generator.ceiling(targetAt(place, { variant: server }), { ...question, folder, statement });
    const { clients } = tool.shape(max);
    const reached = `${Math.round(tps).toLocaleString('en')} times ${statement} per second`;
    return {
      detail: `${tool.name} reaches ${reached} here with ${withNoun(clients, 'client')}. A run above half of that would measure this machine, not the server`,
      value: tps,
    };
  } finally {
    removeTree(folder);
    await place?.close({ keep: false });
  }
}

/** One server, with a workload to use if there is no experiment. */
function smallExperiment(load: { clients: number; threads: number }): Experiment {
  const variant = { storage: { type: 'local' }, engine: { parameters: { shared_buffers: '16MB', fsync: 'off' } } };
  return oneServerExperiment(server, {
    name: server,
    question: 'How fast is the load generator itself?',
    variant,
    workload: { tool: 'pgbench', scale: 1, durationSeconds: 1, ...load },
    protocol: { seed: 1 },
  });
}
