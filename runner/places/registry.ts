import type { Experiment } from '../contract/experiment/schema.ts';
import { UserError } from '../contract/errors.ts';
import type { Storage, StoredVariant } from '../contract/experiment/variant.ts';
import type { DeclaredVolumes, PlaceDefinition, PlacePoolers } from './definition.ts';
import { places } from './every-place.ts';

/**
 * The place of an experiment. All its variants have the same one (experiment/rules/variant-rules.ts).
 *
 * @throws {UserError} if this version of pgduet does not know the place; the next two functions do the same
 */
export function placeOf({ variants }: Pick<Experiment, 'variants'>): PlaceDefinition {
  const [first] = Object.values(variants);
  if (!first) throw new Error('an experiment without variants');
  return placeOfStorage(first.storage);
}

export function placeOfStorage({ type }: Pick<Storage, 'type'>): PlaceDefinition {
  const place = placeOfType(type);
  if (place) return place;
  throw new UserError(
    `storage.type is ${type}; this version of pgduet supports ${places.flatMap(storageTypes).join(', ')}.`,
  );
}

/** @param type as a file has it, so possibly of no place, and no text */
export function placeOfType(type: unknown): PlaceDefinition | undefined {
  return places.find((one) => storageTypes(one).some((name) => name === type));
}

/**
 * The place of an experiment, and what opens it for a run that is started by hand.
 *
 * @throws {UserError} if only the driver of a deploy can open it
 */
export function placeHere({ variants }: Pick<Experiment, 'variants'>): {
  place: PlaceDefinition;
  open: NonNullable<PlaceDefinition['opener']>;
} {
  const place = placeOf({ variants });
  if (place.opener) return { place, open: place.opener };
  const types = places.filter((one) => one.opener).flatMap(storageTypes);
  const [problem = ''] = Object.entries(variants).map(
    ([name, { storage }]) => `variants.${name}.storage.type: "${storage.type}"`,
  );
  throw new UserError(
    `${problem} is not available on this machine. Use a profile whose storage is of type ${types.join(' or ')} (--profile NAME). If the file has none, add one, such as profiles: { local: { common: { storage: { type: local } } } }`,
  );
}

/** The place that a result names. */
export function placeNamed(kind: string): PlaceDefinition {
  const place = places.find((one) => one.kind === kind);
  if (place) return place;
  throw new UserError(
    `place.kind is ${kind}; this version of pgduet supports ${places.map((one) => one.kind).join(', ')}.`,
  );
}

export function declaredVolumes(variant: StoredVariant): DeclaredVolumes {
  return placeOfStorage(variant.storage).volumes(variant);
}

/** Types that the storage of a variant may have at a place. */
export function storageTypes({ storage }: Pick<PlaceDefinition, 'storage'>): string[] {
  return storage.flatMap(({ shape }) => [...(shape.type._zod.values ?? [])].map(String));
}

/** Modes that the pooler of a variant may have at a place. */
export function poolerModes({ schemas }: PlacePoolers): string[] {
  return schemas.flatMap(({ shape }) => [...(shape.mode._zod.values ?? [])].map(String));
}
