import * as z from 'zod';
import type { Pooler } from '../../contract/experiment/variant.ts';

export const proxySchema = z
  .strictObject({
    mode: z.literal('rds-proxy').describe('RDS Proxy, in the zones of the database. It has no other modes.'),
    maxConnectionsPercent: z
      .int()
      .min(1)
      .max(100)
      .default(100)
      .describe(
        'MaxConnectionsPercent: sessions that the proxy may have on the server, as a share of max_connections.',
      ),
  })
  .describe('RDS Proxy between driver and database. Deployed only.');

export type RdsProxy = z.output<typeof proxySchema>;

export function isProxy(pooler: Pooler): pooler is RdsProxy {
  return pooler.mode === proxySchema.shape.mode.value;
}

/** The proxy of a variant; null if it has none. */
export function proxyOf({ pooler }: { pooler?: Pooler | undefined }): RdsProxy | null {
  return pooler && isProxy(pooler) ? pooler : null;
}

/** Where records of a server have the share; only those of a server with a proxy have it. */
export const proxyKey = 'pooler.maxConnectionsPercent';

/** RDS Proxy listens on no other port for PostgreSQL. */
export const proxyPort = 5432;

/** RDS's name of the one group of targets that a proxy has. */
export const targetGroupName = 'default';

/** The sessions that a proxy may have on a server, at most. */
export function sessionsOf({ maxConnectionsPercent }: Pick<RdsProxy, 'maxConnectionsPercent'>, maxConnections: number) {
  return Math.floor((maxConnections * maxConnectionsPercent) / 100);
}
