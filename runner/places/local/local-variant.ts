import { withConnection } from '../../postgres/connect.ts';
import type { Place, PlacedTarget } from '../place.ts';
import type { Volume } from './volumes/volume.ts';

/** The running cluster of one variant, with its volumes: data first, then log if the variant has a log volume. */
export interface LocalVariant {
  target: PlacedTarget;
  volumes: readonly Volume[];
}

/** The targets by variant. A target fails when one of its volumes fails. */
export function targetsOf(variants: ReadonlyMap<string, LocalVariant>): Place['targets'] {
  return new Map([...variants].map(([name, variant]) => [name, onVolumes(variant)]));
}

/** Lets only the named variants work, within their limits. Without names, all of them work without limits. */
export async function putUnderTest(
  variants: ReadonlyMap<string, LocalVariant>,
  tested: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const [name, { volumes }] of variants) {
    for (const volume of volumes) await volume.limit(tested.includes(name));
  }
  if (tested.length === 0) return;
  // Otherwise another cluster would write what an earlier trial left unwritten in the middle of this trial.
  for (const [name, { target }] of variants) {
    if (!tested.includes(name)) await withConnection(target, (client) => client.query('CHECKPOINT'), signal);
  }
}

/** A volume that breaks says why. Its server ends a moment later, and only reports an I/O error. */
function onVolumes({ target, volumes }: LocalVariant): PlacedTarget {
  return { ...target, failed: AbortSignal.any([...volumes.map(({ failed }) => failed), target.failed]) };
}
