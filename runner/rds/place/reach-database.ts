import { withConnection } from '../../postgres/connect.ts';
import { type Target, throughPooler } from '../../postgres/target.ts';
import type { PlacedTarget } from '../../places/place.ts';
import { proxyPort, sessionsOf } from '../deployments/proxy.ts';
import type { ProxyState } from '../deployments/proxy-api.ts';
import { awaitConnections } from './await-database.ts';
import { type DatabaseAccess, deployedTarget } from './database-access.ts';
import type { ExaminedDatabase } from './examine-database.ts';

/** @returns `max_connections` of a server. @throws {UserError} if it does not answer */
export type ConnectionsProbe = (target: Target) => Promise<number>;

const askConnections: ConnectionsProbe = (target) =>
  withConnection(target, async (client) => {
    const { rows } = await client.query<{ max: number }>("SELECT current_setting('max_connections')::int AS max");
    return rows[0]?.max ?? 0;
  });

/**
 * Waits until an examined database accepts connections, and its proxy, too, if it has one.
 *
 * @throws {UserError} marked as passing, if one of them does not do so in time
 */
export async function reachDatabase(
  server: string,
  { state, proxy }: ExaminedDatabase,
  access: DatabaseAccess,
  polling: Parameters<typeof awaitConnections>[1] & { connections?: ConnectionsProbe },
): Promise<PlacedTarget> {
  const target = deployedTarget(server, state, access);
  await awaitConnections(target, polling);
  if (proxy === null) return target;
  const pooled = throughProxy(target, proxy, await (polling.connections ?? askConnections)(target));
  await awaitConnections(throughPooler(pooled), polling);
  return pooled;
}

/**
 * The same target, whose load goes through the proxy. Its certificate comes from one of Amazon's public authorities, which are
 * among those that a driver gets. It refuses clients that send options of a session (PGOPTIONS).
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-proxy.troubleshooting.html
 */
function throughProxy(target: PlacedTarget, proxy: ProxyState, maxConnections: number): PlacedTarget {
  const { PGOPTIONS: _, ...environment } = target.environment;
  const { endpoint, maxConnectionsPercent } = proxy;
  return {
    ...target,
    pooler: {
      host: endpoint ?? '',
      port: proxyPort,
      size: sessionsOf({ maxConnectionsPercent: maxConnectionsPercent ?? 0 }, maxConnections),
      environment,
    },
  };
}
