import { type Binding, boundServers } from '../../contract/binding.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { serverName, serversOf } from '../../contract/server.ts';
import type { AskedOfServer } from '../../postgres/in-force.ts';

/** @throws {UserError} if the stack was deployed from another state of the experiment file */
export function matchVariants(binding: Binding, experiment: Experiment): void {
  const deployed = [...boundServers(binding).keys()].sort().join(', ');
  const wanted = serversOf(Object.keys(experiment.variants), experiment.protocol.replicas)
    .map(serverName)
    .sort()
    .join(', ');
  if (experiment.name === binding.experiment.name && deployed === wanted) return;
  throw new UserError(
    `The stack ${binding.stackName} has the variants ${deployed} of ${binding.experiment.name}, but the experiment is ${experiment.name} with ${wanted}. Deploy it again, or go back to the file and the profile that were deployed.`,
  );
}

/** The parameters of each server's parameter group, by the name of the server. */
export type AskedParameters = ReadonlyMap<string, AskedOfServer['parameters']>;

/** @param experiment its parameters are written as RDS writes them */
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
