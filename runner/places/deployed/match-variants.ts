import { type Binding, boundServers } from '../../contract/binding.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { serverName, serversOf } from '../../contract/server.ts';

/** @throws {UserError} if the stack was deployed from another state of the experiment file */
export function matchVariants(binding: Binding, experiment: Experiment): void {
  const deployed = [...boundServers(binding).keys()].sort().join(', ');
  const wanted = serversOf(Object.keys(experiment.variants), experiment.protocol.replicas)
    .map(serverName)
    .sort()
    .join(', ');
  if (experiment.name === binding.experiment.name && deployed === wanted) return;
  throw new UserError(
    `The stack ${binding.stackName} has the variants ${deployed} of ${binding.experiment.name}, the experiment is ${experiment.name} with ${wanted}. Deploy it again, or go back to the file and the profile that were deployed.`,
  );
}
