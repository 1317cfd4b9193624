import type { RDSClient } from '@aws-sdk/client-rds';
import type { ServerBinding } from '../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { awaitChange, awaitDatabase, type PollingOptions, withOneLimit } from './await-database.ts';
import type { DatabaseState } from '../deployments/deployment.ts';
import type { ProxyState } from '../deployments/proxy-api.ts';
import { apiOf, describeDatabase } from '../deployments/registry.ts';
import { awaitProxy, hasProxy, proxyDifferences } from './await-proxy.ts';
import { differences, storageWork } from './judge-database.ts';
import { rebootOnce } from './restart-server.ts';
import { withLogVolumeOf } from '../../contract/log-volume.ts';
import { failoverSeconds } from '../contract/waiting-times.ts';

export interface ExaminedDatabase {
  state: DatabaseState;
  /** null if none was asked for. */
  proxy: ProxyState | null;
  /** Whether it was rebooted to apply its parameter group. */
  rebooted: boolean;
  caveats: string[];
}

/**
 * Waits for the database of a variant and its proxy, brings its primary to the driver's zone, and checks that they are what
 * was asked for. One time limit applies to all of this together.
 *
 * @param mayReboot whether to reboot it if its parameter group waits for that. In mid-run, a reboot would set one trial
 * apart
 * @throws {UserError} with a line for each difference
 */
export async function examineDatabase(
  variant: string,
  binding: ServerBinding,
  options: PollingOptions,
  { anyLogVolume = false, mayReboot = false }: { anyLogVolume?: boolean; mayReboot?: boolean } = {},
): Promise<ExaminedDatabase> {
  const polling = withOneLimit(options);
  const found = await awaitDatabase(variant, binding, polling);
  const { state: inForce, rebooted } = mayReboot
    ? await rebootOnce(variant, binding, found, polling)
    : { state: found, rebooted: false };
  const { state: atHome, caveat } = await failOverToDriverZone(variant, binding, inForce, polling);
  const proxy = hasProxy(binding) ? await awaitProxy(variant, binding, polling) : null;
  const state = proxy ? withProxy(atHome, proxy) : atHome;
  const expected = anyLogVolume ? withLogVolumeOf(binding.expected, state.database) : binding.expected;
  const wrong = [...differences(expected, state), ...(proxy ? proxyDifferences(proxy) : [])];
  if (state.database.endpoint === null) wrong.push('has no endpoint');
  if (wrong.length > 0) {
    throw new UserError(wrong.map((what) => `Variant ${variant} (${binding.identifier}) ${what}.`));
  }
  return {
    state,
    proxy,
    rebooted,
    caveats: [...(caveat === null ? [] : [caveat]), ...(proxy ? [hiddenBy(variant)] : [])],
  };
}

/** The record of a database says what is known of its proxy. */
function withProxy(state: DatabaseState, { maxConnectionsPercent }: ProxyState): DatabaseState {
  return { ...state, database: { ...state.database, pooler: { maxConnectionsPercent } } };
}

/** What a proxy hides from the server. */
function hiddenBy(variant: string): string {
  return `The evidence about ${variant} is partial: the server sees the sessions of RDS Proxy’s pool, not the clients. A client’s wait for RDS Proxy counts as time outside the server.`;
}

/**
 * Fails a Multi-AZ database over so that its primary is in the driver's zone. In another zone, every statement would
 * include a trip between the zones. The primary stays in another zone if the driver's zone has no standby, or if the
 * failover does not bring it there.
 *
 * @returns the state afterwards, and a caveat for the report if the primary is in another zone
 */
export async function failOverToDriverZone(
  variant: string,
  binding: ServerBinding,
  state: DatabaseState,
  polling: PollingOptions,
): Promise<{ state: DatabaseState; caveat: string | null }> {
  const home = binding.expected.availabilityZone;
  if (!binding.expected.multiAz || state.database.availabilityZone === home) return { state, caveat: null };
  const standby = state.standbys.get(home);
  if (standby === undefined)
    return { state, caveat: caveatOf(variant, state, home, 'the database has no standby there') };

  polling.say(
    `Variant ${variant} (${binding.identifier}): its primary is in ${zoneOf(state)}; failing over to ${home} ...`,
  );
  await (await apiOf(binding)).failOver(polling.rds, binding.identifier, standby);
  const isHome = ({ database }: DatabaseState): boolean => database.availabilityZone === home;
  const later = await awaitChange(variant, binding, polling, { asAsked: isHome, limitSeconds: failoverSeconds });
  const caveat = isHome(later) ? null : caveatOf(variant, later, home, 'a failover did not move it there');
  return { state: later, caveat };
}

function caveatOf(variant: string, state: DatabaseState, home: string, why: string): string {
  return `The primary of ${variant} is in ${zoneOf(state)}, but the driver is in ${home}, and ${why}: every statement crosses zones.`;
}

function zoneOf({ database }: DatabaseState): string {
  return database.availabilityZone ?? 'an unknown zone';
}

export async function examineAll(
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
    const isTransient = problems.every((problem) => problem.isTransient);
    throw new UserError(
      problems.flatMap(({ lines }) => lines),
      { isTransient },
    );
  }
  return examined;
}

/**
 * What RDS does to the volumes of a database now; empty if nothing.
 *
 * @throws {AwsCallError}
 */
export async function describeStorageWork(rds: RDSClient, server: ServerBinding): Promise<string[]> {
  const state = await describeDatabase(rds, server);
  return state ? storageWork(state) : [];
}
