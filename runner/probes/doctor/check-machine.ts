import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { roomIn } from '../../files/look.ts';
import { chooseBinaries, demandPrograms, serverPrograms } from '../../places/local/choose-binaries.ts';
import { findInstallations, lacks } from '../../places/local/installations.ts';
import { demandMemory, demandRoom } from '../../places/local/room.ts';
import { checkScripts } from './check-scripts.ts';
import { findCeiling } from './generator-ceiling.ts';
import { checker, type CheckOutcome } from '../probe.ts';

/** `engines` in package.json, which npm only warns about. */
const oldestNode = [20, 19] as const;
/** Disk space for a local run of the ready experiments, with room for what PostgreSQL adds. */
const neededBytes = 5 * 1024 ** 3;

/** Checks whether experiments can run on this machine, or one of them with its versions, its volumes and its memory. */
export async function checkMachine(
  options: {
    pgBindir: readonly string[] | undefined;
    environment: Readonly<Record<string, string | undefined>>;
    experiment?: Experiment;
    /** Where the experiment's scripts are. */
    scriptFolder: string;
    /** What other programs take of this machine now; `warning` is null if no trial would suffer from it. */
    otherPrograms: (signal: AbortSignal) => Promise<{ finding: string; warning: string | null }>;
    signal: AbortSignal;
  },
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const { check, outcomes } = checker(report);
  const { experiment } = options;
  await check('Node', () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
      throw new UserError(`Node ${process.versions.node} is too old: ${oldestNode.join('.')} or newer, best 22 or 24.`);
    }
    return Promise.resolve({ detail: process.versions.node, value: true });
  });
  const hasPostgres = await check('PostgreSQL', async () => {
    const found = await findInstallations({ ...options, explicit: options.pgBindir }, serverPrograms);
    const servers = found.installations.filter((one) => lacks(one, serverPrograms) === null);
    // As if an experiment had a variant for each of them, and one without a version.
    const asked = servers.map(({ version }) => [version, { engine: { version } }] as const);
    const wanted = experiment?.variants ?? { any: { engine: {} }, ...Object.fromEntries(asked) };
    const { clients } = chooseBinaries(wanted, found);
    if (experiment) demandPrograms(experiment, clients.folder);
    const shown = servers.map(({ version, folder }) => `${version} in ${folder}`).join(', ');
    return { detail: `${shown}; pgbench ${clients.version}`, value: true };
  });
  await check('room on the disk', () => {
    const room = roomIn(tmpdir());
    const shown = `${(room / 1024 ** 3).toFixed(1)} GiB in ${tmpdir()}`;
    if (experiment) demandRoom(experiment, tmpdir());
    else if (room < neededBytes)
      throw new UserError(`There are ${shown}, too few. Make room, or set TMPDIR to another disk.`);
    return Promise.resolve({ detail: shown, value: true });
  });
  if (experiment) {
    await check('memory', () => {
      demandMemory(experiment);
      return Promise.resolve({ detail: `${(totalmem() / 1024 ** 3).toFixed(1)} GiB for all servers`, value: true });
    });
  }
  await check('cores', () => {
    const count = availableParallelism();
    if (count < 2)
      throw new UserError('There is one core: the load generator and the server would wait for each other.');
    return Promise.resolve({ detail: String(count), value: true });
  });
  if (experiment) await checkScripts(check, experiment, { ...options, explicit: options.pgBindir });
  // Without a PostgreSQL, nothing can be measured, and the load generator would install one.
  if (!hasPostgres) return outcomes;
  await check('other programs', async () => {
    const { finding, warning } = await options.otherPrograms(options.signal);
    return { detail: finding, value: true, notes: warning === null ? [] : [warning] };
  });
  await check('load generator', () => findCeiling(experiment, options));
  return outcomes;
}
