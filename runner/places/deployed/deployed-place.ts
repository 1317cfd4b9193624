import type { RDSClient } from '@aws-sdk/client-rds';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { exists } from '../../files/look.ts';
import type { AwsSources } from '../../aws/sources.ts';
import { type Binding, boundServers, type ServerBinding, snapshotName } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { Bill } from '../../contract/result.ts';
import { serverName } from '../../contract/server.ts';
import type { TrialPlacement } from '../../contract/trial.ts';
import { examinationSeconds, untilStopped } from '../../contract/waiting-times.ts';
import { quietClients } from '../../postgres/target.ts';
import type { Place, PlacedTarget } from '../place.ts';
import { forEachServer } from '../servers-failed.ts';
import type { AskedParameters } from './match-variants.ts';
import {
  awaitConnections,
  awaitDatabase,
  type Clock,
  probeConnection,
  type ConnectionProbe,
  type PollingOptions,
} from './await-database.ts';
import { examineDatabase, type ExaminedDatabase } from './examine-database.ts';
import { describeTrialEvents, observedInstances } from './observed-instances.ts';
import { keepSnapshot } from './keep-snapshot.ts';
import { fetchPasswordFile, type PasswordFile } from './password-file.ts';
import { restartServer } from './restart-server.ts';
import { switchLogVolume } from './switch-log-volume.ts';
import { isExchanged } from '../../contract/plan.ts';

export interface DeployedPlaceOptions extends Clock {
  binding: Binding;
  /** What the stack costs while it is there. @default nobody knows */
  bill?: Bill;
  rds: RDSClient;
  secrets: SecretsManagerClient;
  /** Clients of the sources that are asked when the run has ended. @default nobody asks them */
  sources?: Omit<AwsSources, 'instancesOf'>;
  parameters: AskedParameters;
  /** Path of a file with the certificate authorities of RDS. */
  certificates: string | undefined;
  say: (line: string) => void;
  signal: AbortSignal;
  /** Whether the log volumes are exchanged in mid-run. @default false */
  crossover?: boolean;
  /** @default connects to the server */
  probe?: ConnectionProbe;
}

/** The first snapshot of a volume copies all of it to S3: half a day is enough for tens of terabytes. */
const snapshotLimitSeconds = 12 * 3600;

/**
 * Opens the variants that a deploy made. Each is proven to be what was asked for, now and again before each of its trials.
 * All connections are encrypted, and check the server's certificate and its name.
 *
 * @throws {UserError} with a line for everything that is not as it should be
 */
export async function openDeployedPlace(options: DeployedPlaceOptions): Promise<Place> {
  const { binding } = options;
  // RDS may optimise a volume for many hours after it was switched, also while a stopped run is resumed.
  const limitSeconds = options.crossover ? untilStopped : examinationSeconds;
  const polling: PollingOptions = { ...options, limitSeconds };
  const certificates = checkedCertificates(options.certificates);
  // In a crossover, an earlier run may have left the log volumes either way. This run sets them itself.
  const deployed = boundServers(binding);
  const examined = await examineAll(deployed, polling, {
    anyLogVolume: options.crossover ?? false,
    mayReboot: true,
  });
  const passwordFile = await fetchPasswordFile(options.secrets, binding.secretArn);
  const access = { binding, parameters: options.parameters, passwordFile, certificates };
  let current: ReadonlyMap<string, ServerBinding> = deployed;
  const serverOf = ({ conditions, period = 1 }: TrialPlacement): ServerBinding =>
    entryOf(crossedServers(deployed, period), serverName(conditions));
  const resourceIds = new Map(
    [...deployed].map(([server, { identifier }]) => [identifier, examined.get(server)?.state.database.resourceId]),
  );
  const targets = new Map([...examined].map(([server, { state }]) => [server, deployedTarget(server, state, access)]));
  const accepting = { ...polling, probe: options.probe ?? probeConnection };
  try {
    await Promise.all([...targets.values()].map((target) => awaitConnections(target, accepting)));
  } catch (error) {
    passwordFile.remove();
    throw error;
  }
  return {
    kind: 'deployed',
    description: `RDS for PostgreSQL in ${binding.region}, stack ${binding.stackName}`,
    bill: options.bill,
    caveats: [...examined.values()].flatMap(({ caveats }) => caveats),
    volumeChecks: [],
    targets,
    async activateOnly(tested, signal) {
      const now = { ...polling, signal };
      // Waits for the end of a restart or a backup of any server. Only for servers under test does it matter whether it ends
      // well.
      await Promise.allSettled([...current].map(([server, bound]) => awaitDatabase(server, bound, now)));
      signal.throwIfAborted();
      await forEachServer(tested, signal, async (server) => {
        const bound = entryOf(current, server);
        const { state } = await examineDatabase(server, bound, now);
        if (state.database.resourceId !== resourceIds.get(bound.identifier)) {
          throw new UserError(`Variant ${server} was made anew since the run began: it is no longer what was loaded.`);
        }
        await awaitConnections(deployedTarget(server, state, access), { ...accepting, signal });
      });
    },
    restart: (server, signal) =>
      restartServer(server, entryOf(current, server), entryOf(targets, server), { ...accepting, signal }),
    async enterPeriod(period, signal) {
      const switching = { ...accepting, signal };
      current = crossedServers(deployed, period);
      const switches = await Promise.all(
        [...current].map(async ([variant, bound]) => {
          const there = [...targets.values()].find((target) => target.deployed?.identifier === bound.identifier);
          if (!there) throw new Error(`no target at ${bound.identifier}`);
          return { variant, bound, switched: await switchLogVolume(variant, bound, there, switching) };
        }),
      );
      for (const { variant, bound } of switches) {
        const { state } = await examineDatabase(variant, bound, switching);
        const target = deployedTarget(variant, state, access);
        await awaitConnections(target, switching);
        targets.set(variant, target);
      }
      return switches.flatMap(({ switched }) => switched ?? []);
    },
    keepSnapshot(server, { startedAt, signal, onProgress }) {
      const { owner, region, experiment } = binding;
      return keepSnapshot(
        server,
        entryOf(current, server),
        {
          name: snapshotName(experiment.name, owner, startedAt),
          tags: { experiment: experiment.name, owner },
          region,
        },
        { ...polling, limitSeconds: snapshotLimitSeconds, signal, onProgress },
      );
    },
    eventsBetween: (trial, from, to) => describeTrialEvents(options.rds, serverOf(trial), from, to),
    ...(options.sources && {
      aws: {
        ...options.sources,
        instancesOf: (trial) => observedInstances(options.rds, serverOf(trial)),
      },
    }),
    close() {
      passwordFile.remove();
      return Promise.resolve(null);
    },
  };
}

/**
 * How to reach an examined database.
 *
 * @param certificates path that exists
 */
export function deployedTarget(
  server: string,
  { database, port }: ExaminedDatabase['state'],
  access: { binding: Binding; parameters: AskedParameters; passwordFile: PasswordFile; certificates: string },
): PlacedTarget {
  const parameters = access.parameters.get(server) ?? {};
  return {
    server,
    host: database.endpoint ?? '',
    port: port ?? access.binding.database.port,
    user: access.passwordFile.user,
    database: access.binding.database.name,
    environment: {
      PGPASSFILE: access.passwordFile.path,
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: access.certificates,
      ...quietClients(parameters),
    },
    asked: { parameters, version: database.engineVersion },
    deployed: database,
    // RDS restarts a server by itself. A trial that is running then fails by the error of its client.
    failed: new AbortController().signal,
  };
}

/** @throws {UserError} if there are none: connections without them would be weaker */
export function checkedCertificates(file: string | undefined): string {
  if (file === undefined || file === '') {
    throw new UserError(
      'PGSSLROOTCERT is not set: name a file with the certificate authorities of RDS, such as global-bundle.pem.',
    );
  }
  if (!exists(file)) throw new UserError(`PGSSLROOTCERT is ${file}, which does not exist.`);
  return file;
}

async function examineAll(
  servers: ReadonlyMap<string, ServerBinding>,
  polling: PollingOptions,
  allowed: { anyLogVolume: boolean; mayReboot: boolean },
): Promise<Map<string, ExaminedDatabase>> {
  const names = [...servers.keys()];
  const outcomes = await Promise.allSettled(
    [...servers].map(([server, bound]) => examineDatabase(server, bound, polling, allowed)),
  );
  polling.signal.throwIfAborted();
  const problems = new Array<UserError>();
  const examined = new Map<string, ExaminedDatabase>();
  for (const [index, outcome] of outcomes.entries()) {
    const name = names[index] ?? '';
    if (outcome.status === 'fulfilled') examined.set(name, outcome.value);
    else if (outcome.reason instanceof UserError) problems.push(outcome.reason);
    else throw outcome.reason;
  }
  if (problems.length > 0) {
    const passing = problems.every((problem) => problem.passing);
    throw new UserError(problems.map(({ message }) => message).join('\n'), { passing });
  }
  return examined;
}

function entryOf<T>(byServer: ReadonlyMap<string, T>, server: string): T {
  const entry = byServer.get(server);
  if (entry === undefined) throw new Error(`the binding has no server ${server}`);
  return entry;
}

/**
 * The binding in a period of a crossover. As long as the log volumes are exchanged, each instance carries the other variant,
 * with the log volume of that variant.
 */
export function crossedServers(
  servers: ReadonlyMap<string, ServerBinding>,
  period: number,
): ReadonlyMap<string, ServerBinding> {
  const [first, second, ...others] = servers;
  if (!isExchanged(period)) return servers;
  if (!first || !second || others.length > 0) throw new Error('a crossover has two variants');
  const carried = (by: typeof first, variant: typeof first): typeof first => {
    const { dedicatedLogVolume } = variant[1].expected;
    return [variant[0], { ...by[1], expected: { ...by[1].expected, dedicatedLogVolume } }];
  };
  return new Map([carried(second, first), carried(first, second)]);
}
