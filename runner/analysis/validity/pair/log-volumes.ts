import { hasLogVolume } from '../../../contract/log-volume.ts';
import { serverName } from '../../../contract/server.ts';
import { placeNamed } from '../../../places/registry.ts';
import { fail, notAssessed, type PairCheck, pass } from '../check.ts';

/** Whether the declared log volumes are there, and no others. */
export const logVolumes: PairCheck = {
  id: 'log-volume',
  name: 'log volume',
  couldChange: 'answer',
  remedy: 'Redeploy the variants, then rerun.',
  judge: ({ experiment, place }, pair) => {
    const names = [pair.baseline.label, pair.candidate.label];
    const wanted = (variant: string): boolean => hasLogVolume(experiment.definition.variants[variant]);
    if (!placeNamed(place.kind).isDeployed) {
      if (!names.some(wanted)) return null;
      const measured = new Set(place.volumes.map(({ volume }) => volume));
      const missing = names.filter((variant) => wanted(variant) && !measured.has(`${variant}-log`));
      return missing.length > 0
        ? notAssessed(`${missing.join(' and ')}: this run uses plain folders, not volumes`)
        : pass('attached, and measured to stay within its limit');
    }
    // The place makes sure of this before each trial. The state of the instances at the start says nothing about the
    // second half.
    if (experiment.definition.protocol.crossover) return pass('as declared before every trial, according to RDS');
    const sides = [pair.baseline, pair.candidate];
    const unknown = sides.filter(
      ({ servers }) => servers.length === 0 || servers.some(({ deployed }) => deployed === undefined),
    );
    if (unknown.length > 0) {
      return notAssessed(`no data from RDS for ${unknown.map(({ label }) => label).join(' and ')}`);
    }
    const wrong = sides.flatMap(({ label, servers }) =>
      servers.filter(({ deployed }) => hasLogVolume(deployed) !== wanted(label)),
    );
    const words = wrong.map(
      ({ name: variant, replica, deployed }) =>
        `${serverName({ variant, replica })} has ${hasLogVolume(deployed) ? 'one' : 'none'}, which is not as declared`,
    );
    return wrong.length > 0 ? fail(words.join('; ')) : pass('as declared, according to RDS');
  },
};
