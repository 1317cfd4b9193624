import type { ServerLoad } from '../contract/result.ts';
import type { Place } from '../places/place.ts';
import type { TriedOut } from '../workloads/load-generator.ts';

/**
 * What a run that ended with UnfitTrials leaves to the one that takes its turn: its servers, as far as they are loaded
 * and tried. Whoever makes it closes it.
 */
export interface Handover {
  /** The first run opens the place; the next one finds it open. The end of a run closes it, unless it is handed over. */
  open: (make: () => Promise<Place>) => Promise<Place>;
  isOpen: () => boolean;
  /** From now on, the end of the run leaves the place open. */
  handOver: () => void;
  /** Servers that are loaded. */
  loads: ServerLoad[];
  /** What the first transactions on each server took, by its name; null if the tool does not say. */
  tried: Map<string, TriedOut | null>;
  /** Removes what nobody has taken over. */
  close: () => Promise<void>;
}

export function newHandover(): Handover {
  let place: Place | null = null;
  let isHandedOver = false;
  const close: Place['close'] = async (options) => {
    const opened = place;
    place = null;
    return (await opened?.close(options)) ?? null;
  };
  return {
    async open(make) {
      const opened = (place ??= await make());
      isHandedOver = false;
      return { ...opened, close: (options) => (isHandedOver ? Promise.resolve(null) : close(options)) };
    },
    isOpen: () => place !== null,
    handOver() {
      isHandedOver = true;
    },
    loads: [],
    tried: new Map(),
    async close() {
      await close({ keep: false });
    },
  };
}
