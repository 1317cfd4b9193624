import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Storage } from '../../contract/experiment/variant.ts';
import { deployed } from './deployed.ts';
import { local } from './local.ts';
import type { ExperimentPlace } from './place.ts';

/** Every place there is. */
export const places: readonly ExperimentPlace[] = [local, deployed];

/** The place of an experiment. All of its variants have the same one (rules/rules.ts). */
export function placeOf({ variants }: Pick<Experiment, 'variants'>): ExperimentPlace {
  const [first] = Object.values(variants);
  if (!first) throw new Error('an experiment without variants');
  return placeOfStorage(first.storage);
}

export function placeOfStorage({ type }: Pick<Storage, 'type'>): ExperimentPlace {
  return type === 'local' ? local : deployed;
}

/** The place that a result names. */
export function placeNamed(kind: ExperimentPlace['kind']): ExperimentPlace {
  return kind === local.kind ? local : deployed;
}
