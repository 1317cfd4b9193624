import { withConnection } from '../../postgres/connect.ts';
import type { Place, PlacedTarget } from '../place.ts';
import type { Volume } from './volumes/volume.ts';

/** One variant's running cluster with the volumes it is on: data first, then that of its log where it has one. */
export interface LocalVariant {
  target: PlacedTarget;
  volumes: readonly Volume[];
}

/** By variant, each target failing when one of its volumes does. */
export function targetsOf(variants: ReadonlyMap<string, LocalVariant>): Place['targets'] {
  return new Map([...variants].map(([name, variant]) => [name, onVolumes(variant)]));
}

/** Lets only the named variants work, within their limits; with none, all work without limits. */
export async function putUnderTest(
  variants: ReadonlyMap<string, LocalVariant>,
  tested: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const [name, { volumes }] of variants) {
    for (const volume of volumes) await volume.limit(tested.includes(name));
  }
  if (tested.length === 0) return;
  // What an earlier trial left unwritten in another cluster would be written in the middle of this one.
  for (const [name, { target }] of variants) {
    if (!tested.includes(name)) await withConnection(target, (client) => client.query('CHECKPOINT'), signal);
  }
}

/** A volume that breaks says why; the server on it ends a moment later, with nothing but an I/O error to tell. */
function onVolumes({ target, volumes }: LocalVariant): PlacedTarget {
  return { ...target, failed: AbortSignal.any([...volumes.map(({ failed }) => failed), target.failed]) };
}
