import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { builtSchema } from '../../contract/built.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { measuredVolumeSchema, volumesKinds } from '../../contract/run-record.ts';
import { parseVersioned } from '../../contract/versioned-file.ts';
import { PartError, wordsOf, UserError } from '../../contract/errors.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { connect } from '../../postgres/connect.ts';
import { disconnect } from '../../postgres/unanswered.ts';
import { hasEnded, identityOf, type ProcessIdentity, processIdentitySchema } from '../../process/tracked-process.ts';
import { takeLock } from '../../process/lock.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Place, PlacedTarget } from '../place.ts';
import { outsideLoad, type Target } from '../../postgres/target.ts';
import { reopenVolume } from './volumes/limited-volumes.ts';
import { type LocalVariant, activateOnly, targetsOf } from './local-variant.ts';
import { inUseFile, keptFolders, startedIn } from './run-folder.ts';
import { standbyNames, waitingFor } from './standbys.ts';

const targetSchema = z.object({
  server: z.string(),
  host: z.string(),
  port: z.int(),
  user: z.string(),
  database: z.string(),
  environment: z.record(z.string(), z.string()),
  pooler: z.object({ host: z.string(), port: z.int(), size: z.int() }).optional(),
});

const serverSchema = z.object({ target: targetSchema, process: processIdentitySchema });

const keptVariantSchema = serverSchema.extend({
  /** The version of PostgreSQL that started the server. */
  version: z.string().nullable(),
  /** What was built of the server; absent if everything was installed. */
  built: builtSchema.optional(),
  serverLog: z.string().optional(),
  /** The process of its pooler; absent if it has none. */
  pooler: processIdentitySchema.optional(),
  standbys: z.array(serverSchema),
  volumes: z.array(
    z.object({
      request: z.object({
        name: z.string(),
        sizeGib: z.number(),
        iops: z.number().optional(),
        throughputMibps: z.number().optional(),
      }),
      path: z.string(),
      qmpSocket: z.string().nullable(),
    }),
  ),
});

const keptPlaceSchema = z.object({
  /** The experiment that made and loaded the clusters. Clusters of another experiment would give wrong results. */
  made: z.object({ experiment: z.string(), variants: z.unknown(), loadedBy: z.unknown() }),
  description: z.string(),
  caveats: z.array(z.string()),
  volumeChecks: z.array(measuredVolumeSchema),
  volumesKind: z.enum(volumesKinds).optional(),
  variants: z.array(keptVariantSchema),
});

type KeptPlace = z.output<typeof keptPlaceSchema>;

/** kept.json in a run's folder: the clusters that `load --local` or `--keep` left, for `run --local` to find. */
const keptFile = {
  kind: 'pgduet-kept-place',
  what: 'a file about clusters that pgduet has kept',
  schemaVersion: 2,
  schema: keptPlaceSchema,
  remedy: 'Load again.',
  olderRemedy: 'Load again.',
};

/** The servers of a variant, with their processes. */
interface KeptServers extends Omit<LocalVariant, 'standbys'> {
  pid: number;
  pooler?: { process: { pid?: number | undefined } };
  standbys: readonly { target: Target; process: { pid?: number | undefined } }[];
}

const fileName = 'kept.json';

export function saveKeptPlace(
  folder: string,
  experiment: Experiment,
  place: Pick<Place, 'description' | 'caveats' | 'volumeChecks' | 'volumesKind'>,
  servers: readonly KeptServers[],
): void {
  const kept: KeptPlace & Pick<typeof keptFile, 'kind' | 'schemaVersion'> = {
    kind: keptFile.kind,
    schemaVersion: keptFile.schemaVersion,
    made: madeBy(experiment),
    description: place.description,
    caveats: [...place.caveats],
    volumeChecks: [...place.volumeChecks],
    volumesKind: place.volumesKind,
    variants: servers.map(({ target, serverLog, pid, pooler, standbys, volumes }) => ({
      target: withoutSignal(target),
      version: target.asked.version,
      ...(target.built && { built: target.built }),
      serverLog,
      process: identityOf(pid),
      ...(pooler && { pooler: identityOf(pooler.process.pid ?? 0) }),
      standbys: standbys.map((one) => ({ target: one.target, process: identityOf(one.process.pid ?? 0) })),
      volumes: volumes.map(({ request, path: volume, qmpSocket }) => ({ request, path: volume, qmpSocket })),
    })),
  };
  writeFileSync(path.join(folder, fileName), JSON.stringify(kept), { mode: 0o600 });
}

/**
 * Opens the newest clusters that were kept for this experiment. Closing the place leaves them; `pgduet clean` removes
 * them.
 *
 * @throws {UserError} if there are none, or if their servers are gone
 */
export async function openKeptPlace(experiment: Experiment): Promise<Place> {
  const wanted = JSON.stringify(madeBy(experiment));
  const folder = keptFolders().find((one) => isDeepStrictEqual(readKept(one)?.made, JSON.parse(wanted)));
  const kept = folder === undefined ? null : readKept(folder);
  if (folder === undefined || kept === null) {
    throw new UserError(
      `There are no loaded local clusters of ${experiment.name} with these variants and this scale. Load them first with ${ownCommand} load ${experiment.name} --local, or load and run with load-run.`,
    );
  }
  const lock = takeLock(path.join(folder, inUseFile), `The clusters that were kept in ${folder}`);
  const variants = new Map<string, LocalVariant>();
  try {
    for (const { target, version, built, serverLog, process, pooler, standbys, volumes } of kept.variants) {
      // Check the process first: another program that now listens at the port would receive the password.
      for (const server of [{ target, process }, ...standbys]) {
        if (hasEnded(server.process)) throw gone(server.target.server, 'has ended');
        await answers(server.target);
      }
      if (pooler && hasEnded(pooler)) throw gone(target.server, 'has no PgBouncer any more: it ended');
      const processes = [process, ...(pooler ? [pooler] : [])];
      variants.set(target.server, {
        target: {
          ...target,
          asked: {
            parameters: {
              ...experiment.variants[target.server]?.engine.parameters,
              ...waitingFor(standbyNames(standbys.length)),
            },
            version,
          },
          built,
          failed: AbortSignal.any(processes.map((one) => failedWhenGone(one, target.server))),
        },
        standbys: standbys.map((standby) => ({
          target: standby.target,
          failed: failedWhenGone(standby.process, standby.target.server),
        })),
        serverLog,
        volumes: volumes.map((volume) => reopenVolume(volume.request, volume.qmpSocket, volume.path)),
      });
    }
  } catch (error) {
    lock.release();
    throw error;
  }
  return {
    kind: 'local',
    description: kept.description,
    caveats: kept.caveats,
    volumeChecks: kept.volumeChecks,
    volumesKind: kept.volumesKind,
    targets: targetsOf(variants),
    activateOnly: (tested, signal) => activateOnly(variants, tested, signal),
    ownProcesses: () => startedIn(folder),
    close() {
      lock.release();
      return Promise.resolve(null);
    },
  };
}

/**
 * null if there is no file, or one that is unreadable or from another version: then the clusters must be loaded again.
 */
function readKept(folder: string): KeptPlace | null {
  const file = path.join(folder, fileName);
  if (!existsSync(file)) return null;
  try {
    return parseVersioned(readFileSync(file, 'utf8'), file, keptFile);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

function withoutSignal(target: PlacedTarget): Target {
  const { server, host, port, user, database, environment, pooler } = target;
  return { server, host, port, user, database, environment, ...(pooler && { pooler }) };
}

function madeBy({ name, variants, workload }: Experiment): KeptPlace['made'] {
  return { experiment: name, variants, loadedBy: toolOf(workload).loadedBy(workload) };
}

async function answers(target: Target): Promise<void> {
  try {
    // The measured database may be missing, if a run was cut off while restoring it.
    await disconnect(await connect(outsideLoad(target)));
  } catch (error) {
    throw gone(target.server, `does not answer (${wordsOf(error)})`);
  }
}

function gone(server: string, why: string): UserError {
  return new UserError(
    `The kept server of ${server} ${why}. Remove what is left with ${ownCommand} clean, then load again.`,
  );
}

/** Watches a server of another run by polling: it is not our child process, so we get no event when it ends. */
function failedWhenGone(process: ProcessIdentity, variant: string): AbortSignal {
  const failed = new AbortController();
  const timer = setInterval(() => {
    if (!hasEnded(process)) return;
    failed.abort(new PartError(`the server of ${variant} ended`, 'server-ended'));
    clearInterval(timer);
  }, 500).unref();
  return failed.signal;
}
