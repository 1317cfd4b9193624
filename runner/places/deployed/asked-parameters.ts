import { serverName, serversOf } from '../../contract/server.ts';
import type { AskedOfServer } from '../../postgres/in-force.ts';

/** The parameters of each server as its parameter group has them, by the name of the server. */
export type AskedParameters = ReadonlyMap<string, AskedOfServer['parameters']>;

/** @param experiment with the parameters in the words of RDS */
export function askedParameters({
  variants,
  protocol,
}: {
  variants: Readonly<Record<string, { engine: { parameters: AskedOfServer['parameters'] } }>>;
  protocol: { replicas: number };
}): AskedParameters {
  return new Map(
    serversOf(Object.keys(variants), protocol.replicas).map((server) => [
      serverName(server),
      variants[server.variant]?.engine.parameters ?? {},
    ]),
  );
}
