import type { RDSClient } from '@aws-sdk/client-rds';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { withLogs } from '../collect/server-log.ts';
import type { SourceClients } from '../collect/sources.ts';
import { type Binding, boundServers, type ServerBinding, snapshotName } from '../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { withLogVolumeOf } from '../../contract/log-volume.ts';
import type { KeptSnapshot } from '../../contract/result.ts';
import type { Bill } from '../../contract/run-record.ts';
import { serverName } from '../../contract/server.ts';
import type { LogVolumeSwitch } from '../../contract/server-facts.ts';
import type { TrialPlacement } from '../../contract/trial.ts';
import { examinationSeconds, untilStopped } from '../contract/waiting-times.ts';
import type { Place, PlacedTarget } from '../../places/place.ts';
import { forEachServer } from '../../places/servers-failed.ts';
import {
  type AskedParameters,
  checkedCertificates,
  type DatabaseAccess,
  fetchPasswordFile,
} from './database-access.ts';
import {
  awaitDatabase,
  type Clock,
  probeConnection,
  type ConnectionProbe,
  type PollingOptions,
} from './await-database.ts';
import { describeStorageWork, examineAll, examineDatabase, type ExaminedDatabase } from './examine-database.ts';
import { observedInstances } from './observed-instances.ts';
import { keepSnapshot } from './keep-snapshot.ts';
import { type ConnectionsProbe, reachDatabase } from './reach-database.ts';
import { restartServer } from './restart-server.ts';
import { switchLogVolume } from './switch-log-volume.ts';
import { describeTrialEvents } from './trial-events.ts';
import { isCrossedOver } from '../../contract/plan.ts';

export interface DeployedPlaceOptions extends Clock {
  binding: Binding;
  /** What the stack costs as long as it exists. @default unknown */
  bill?: Bill;
  rds: RDSClient;
  secrets: SecretsManagerClient;
  /** Clients of the sources that are asked when the run has ended. @default no source is asked */
  sources?: SourceClients;
  parameters: AskedParameters;
  /** Path of a file with the certificate authorities of RDS. */
  certificates: string | undefined;
  say: (line: string) => void;
  signal: AbortSignal;
  /** Whether the log volumes are exchanged in mid-run. @default false */
  crossover?: boolean;
  /** @default connects to the server */
  probe?: ConnectionProbe;
  /** @default asks the server */
  connections?: ConnectionsProbe;
}

/** The first snapshot of a volume copies the whole volume to S3: half a day is enough for tens of terabytes. */
const snapshotLimitSeconds = 12 * 3600;

type SnapshotOptions = Parameters<NonNullable<Place['keepSnapshot']>>[1];

/**
 * Opens the variants that a deploy made. It checks now, and again before each trial, that each database is what was
 * asked for. All connections are encrypted, and check the server's certificate and name.
 *
 * @throws {UserError} with a line for everything that is not as it should be
 */
export async function openDeployedPlace(options: DeployedPlaceOptions): Promise<Place> {
  const { binding, rds, sources } = options;
  const servers = await DeployedServers.open(options);
  return {
    kind: 'deployed',
    description: `RDS for PostgreSQL in ${binding.region}, stack ${binding.stackName}`,
    bill: options.bill,
    caveats: servers.caveats,
    removableCaveats: servers.caveats,
    volumeChecks: [],
    targets: servers.targets,
    activateOnly: (tested, signal) => servers.activateOnly(tested, signal),
    restart: (server, signal) => servers.restart(server, signal),
    crossOver: (period, signal) => servers.crossOver(period, signal),
    keepSnapshot: (server, snapshot) => servers.keepSnapshot(server, snapshot),
    storageWork: (trial) => describeStorageWork(rds, servers.serverOf(trial)),
    eventsBetween: (trial, from, to) => describeTrialEvents(rds, servers.serverOf(trial), from, to),
    ...(sources && {
      sources: withLogs({ ...sources, instancesOf: (trial) => observedInstances(rds, servers.serverOf(trial)) }),
    }),
    close() {
      servers.close();
      return Promise.resolve(null);
    },
  };
}

/**
 * The servers of a stack: what each was found to be, how it is reached, and which variant it carries in this period.
 */
class DeployedServers {
  readonly targets = new Map<string, PlacedTarget>();
  readonly caveats: readonly string[];
  readonly #options: DeployedPlaceOptions;
  readonly #polling: PollingOptions & { probe: ConnectionProbe };
  readonly #access: DatabaseAccess;
  readonly #deployed: ReadonlyMap<string, ServerBinding>;
  /** By identifier: a server that was replaced under the same name has a different resource id. */
  readonly #resourceIds: ReadonlyMap<string, string | null | undefined>;
  #current: ReadonlyMap<string, ServerBinding>;

  static async open(options: DeployedPlaceOptions): Promise<DeployedServers> {
    // RDS may optimise a volume for many hours after it was switched, even until a stopped run is resumed.
    const limitSeconds = options.crossover ? untilStopped : examinationSeconds;
    const polling = { ...options, limitSeconds, probe: options.probe ?? probeConnection };
    const certificates = checkedCertificates(options.certificates);
    // In a crossover, an earlier run may have left the log volumes in either state. This run sets them itself.
    // Data that a trial needs may not be read from its snapshot yet: each trial waits for the storage.
    const opening = { ...polling, untilStorageRests: false };
    const examined = await examineAll(boundServers(options.binding), opening, {
      anyLogVolume: options.crossover ?? false,
      mayReboot: true,
    });
    const passwordFile = await fetchPasswordFile(options.secrets, options.binding.secretArn);
    const { binding, parameters } = options;
    const servers = new DeployedServers(options, examined, polling, {
      binding,
      parameters,
      passwordFile,
      certificates,
    });
    try {
      const found = [...examined].map(async ([server, one]): Promise<[string, PlacedTarget]> => [
        server,
        await reachDatabase(server, one, servers.#access, polling),
      ]);
      for (const [server, target] of await Promise.all(found)) servers.targets.set(server, target);
    } catch (error) {
      servers.close();
      throw error;
    }
    return servers;
  }

  private constructor(
    options: DeployedPlaceOptions,
    examined: ReadonlyMap<string, ExaminedDatabase>,
    polling: PollingOptions & { probe: ConnectionProbe },
    access: DatabaseAccess,
  ) {
    this.#options = options;
    this.#polling = polling;
    this.#access = access;
    this.#deployed = boundServers(options.binding);
    this.#current = this.#deployed;
    this.#resourceIds = new Map(
      [...this.#deployed].map(([server, { identifier }]) => [
        identifier,
        examined.get(server)?.state.database.resourceId,
      ]),
    );
    this.caveats = [...examined.values()].flatMap(({ caveats }) => caveats);
  }

  /** The database that carries a trial in its period. */
  serverOf({ conditions, period = 1 }: TrialPlacement): ServerBinding {
    return entryOf(crossoverServers(this.#deployed, period), serverName(conditions));
  }

  async activateOnly(tested: readonly string[], signal: AbortSignal): Promise<void> {
    const now = { ...this.#polling, signal };
    // Waits until restarts and backups of all servers end. Whether they end well matters only for the servers under
    // test.
    await Promise.allSettled([...this.#current].map(([server, bound]) => awaitDatabase(server, bound, now)));
    signal.throwIfAborted();
    await forEachServer(tested, signal, async (server) => {
      const bound = entryOf(this.#current, server);
      const examined = await examineDatabase(server, bound, now);
      if (examined.state.database.resourceId !== this.#resourceIds.get(bound.identifier)) {
        throw new UserError(
          `Variant ${server} was replaced with a new database after the run began, so its loaded data is gone. Start a new run with load-run.`,
        );
      }
      await reachDatabase(server, examined, this.#access, now);
    });
  }

  async restart(server: string, signal: AbortSignal): Promise<void> {
    const bound = entryOf(this.#current, server);
    await restartServer(server, bound, entryOf(this.targets, server), { ...this.#polling, signal });
  }

  async crossOver(period: number, signal: AbortSignal): Promise<LogVolumeSwitch[]> {
    const switching = { ...this.#polling, signal };
    this.#current = crossoverServers(this.#deployed, period);
    const switches = await Promise.all(
      [...this.#current].map(async ([variant, bound]) => {
        const there = [...this.targets.values()].find((target) => target.deployed?.identifier === bound.identifier);
        if (!there) throw new Error(`no target at ${bound.identifier}`);
        return { variant, bound, switched: await switchLogVolume(variant, bound, there, switching) };
      }),
    );
    for (const { variant, bound } of switches) {
      const examined = await examineDatabase(variant, bound, switching);
      this.targets.set(variant, await reachDatabase(variant, examined, this.#access, switching));
    }
    return switches.flatMap(({ switched }) => switched ?? []);
  }

  keepSnapshot(server: string, { startedAt, signal, onProgress }: SnapshotOptions): Promise<KeptSnapshot> {
    const { owner, region, experiment } = this.#options.binding;
    return keepSnapshot(
      server,
      entryOf(this.#current, server),
      {
        name: snapshotName(experiment.name, owner, startedAt),
        tags: { experiment: experiment.name, owner },
        region,
      },
      { ...this.#polling, limitSeconds: snapshotLimitSeconds, signal, onProgress },
    );
  }

  close(): void {
    this.#access.passwordFile.remove();
  }
}

function entryOf<T>(byServer: ReadonlyMap<string, T>, server: string): T {
  const entry = byServer.get(server);
  if (entry === undefined) throw new Error(`the binding has no server ${server}`);
  return entry;
}

/**
 * The binding in a period of a crossover. As long as the log volumes are exchanged, each instance carries the other
 * variant, with that variant's log volume setting.
 */
function crossoverServers(
  servers: ReadonlyMap<string, ServerBinding>,
  period: number,
): ReadonlyMap<string, ServerBinding> {
  const [first, second, ...others] = servers;
  if (!isCrossedOver(period)) return servers;
  if (!first || !second || others.length > 0) throw new Error('a crossover has two variants');
  const carried = (by: typeof first, variant: typeof first): typeof first => [
    variant[0],
    { ...by[1], expected: withLogVolumeOf(by[1].expected, variant[1].expected) },
  ];
  return new Map([carried(second, first), carried(first, second)]);
}
