import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { deployable } from '../../../runner/rds/deploy/deployable.ts';
import { serverName, serversOf } from '../../../runner/contract/server.ts';
import { capacityOf } from '../../../runner/rds/place/class-capacity.ts';
import { evaluateFormula } from '../../../runner/rds/place/parameter-formula.ts';
import { askedParameters } from '../../../runner/rds/place/database-access.ts';
import { project } from './account.ts';

/** More shared buffers than these, 256 MiB of pages, are only claimed. */
const maxPages = 32_768;

/** The parameter groups of an experiment by the name of the server, in two parts: what its servers get, and what they claim. */
export function parameterGroups(
  experiment: string,
  profile: string,
): Map<string, { settings: Record<string, string>; claimed: Record<string, string> }> {
  const deployed = deployable(loadExperiment(experiment, { folder: project, profile }).experiment, profile);
  const asked = askedParameters(deployed);
  const classes = new Map(
    serversOf(Object.keys(deployed.variants), deployed.protocol.replicas).map((server) => [
      serverName(server),
      deployed.variants[server.variant]?.class ?? '',
    ]),
  );
  const isTooLarge = ([name, value]: [string, string]): boolean =>
    name === 'shared_buffers' && Number(value) > maxPages;
  return new Map(
    [...asked].map(([server, parameters]) => {
      const capacity = capacityOf(classes.get(server) ?? '');
      // As RDS does it, but for the share of its own processes.
      const computed = (value: string): string =>
        value.includes('{') && capacity ? String(evaluateFormula(value, capacity)) : value;
      const all = Object.entries(parameters).map(([name, value]): [string, string] => [name, computed(String(value))]);
      return [
        server,
        {
          settings: Object.fromEntries(all.filter((one) => !isTooLarge(one))),
          claimed: Object.fromEntries(all.filter(isTooLarge)),
        },
      ];
    }),
  );
}
