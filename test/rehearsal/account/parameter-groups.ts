import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { deployable } from '../../../runner/experiment/deploy/deployable.ts';
import { askedParameters } from '../../../runner/places/deployed/database-access.ts';
import { project } from './account.ts';

/** More shared buffers than these, 256 MiB of pages, are only claimed. */
const mostPages = 32_768;

/** The parameter groups of an experiment by the name of the server, in two parts: what its servers get, and what they claim. */
export function parameterGroups(
  experiment: string,
  profile: string,
): Map<string, { settings: Record<string, string>; claimed: Record<string, string> }> {
  const asked = askedParameters(
    deployable(loadExperiment(experiment, { folder: project, profile }).experiment, profile),
  );
  const isTooLarge = ([name, value]: [string, string]): boolean =>
    name === 'shared_buffers' && Number(value) > mostPages;
  return new Map(
    [...asked].map(([server, parameters]) => {
      const all = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
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
