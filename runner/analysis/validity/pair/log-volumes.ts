import type { PairCheck } from '../pair-check.ts';
import { fail, notAssessed, pass } from '../findings.ts';

/** Whether the declared log volumes are there, and no others. */
export const logVolumes: PairCheck = ({ experiment, place, variants }, pair) => {
  const name = 'log volume';
  const names = [pair.baseline.label, pair.candidate.label];
  const wanted = (variant: string): boolean => experiment.definition.variants[variant]?.dedicatedLogVolume === true;
  if (place.kind === 'local') {
    if (!names.some(wanted)) return [];
    const measured = new Set(place.volumes.map(({ volume }) => volume));
    const missing = names.filter((variant) => wanted(variant) && !measured.has(`${variant}-log`));
    return [
      missing.length > 0
        ? notAssessed(name, `${missing.join(' and ')}: plain folders stand in for volumes here`)
        : pass(name, 'attached, and measured to keep to its limit'),
    ];
  }
  // The place makes sure of it before each trial. The state of the instances at the start says nothing about the second
  // half.
  if (experiment.definition.protocol.crossover) return [pass(name, 'as declared before every trial, said RDS')];
  const told = names.map((variant) => ({
    variant,
    attached: variants.find((one) => one.name === variant)?.deployed?.dedicatedLogVolume,
  }));
  const unknown = told.filter(({ attached }) => attached === undefined);
  if (unknown.length > 0)
    return [notAssessed(name, `RDS was not asked of ${unknown.map(({ variant }) => variant).join(' and ')}`)];
  const wrong = told.filter(({ variant, attached }) => attached !== wanted(variant));
  return [
    wrong.length > 0
      ? fail(
          name,
          wrong
            .map(({ variant, attached }) => `${variant} has ${attached ? 'one' : 'none'}, unlike declared`)
            .join('; '),
        )
      : pass(name, 'as declared, says RDS'),
  ];
};
