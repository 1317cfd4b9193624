import type { UnknownBlock } from '../contract/comparison.ts';

/**
 * Such as `block 3 is unknown (a trial of it was lost: with-log-volume failed in measure: the server ended)`. Blocks of the same
 * reason are named together: a server that crashes does so for one reason in most of them.
 */
export function unknownWords(unknown: readonly UnknownBlock[]): string {
  const because = new Map<string, string[]>();
  for (const one of unknown) {
    const reason = reasonOf(one);
    because.set(reason, [...(because.get(reason) ?? []), placeOf(one)]);
  }
  return [...because]
    .map(([reason, places]) =>
      places.length === 1
        ? `block ${places.join('')} is unknown (${reason})`
        : `blocks ${places.slice(0, -1).join(', ')} and ${places.at(-1)} are unknown (each: ${reason})`,
    )
    .join(', ');
}

function placeOf({ block, replica }: UnknownBlock): string {
  return replica === undefined ? String(block) : `${block} on replica ${replica}`;
}

const reasonWords: Readonly<Record<UnknownBlock['reason'], string>> = {
  lost: 'a trial of it was lost',
  'cut-off': 'it was cut off when its figures could be seen, and measured anew',
  'no-value': 'it finished without the metric that decides',
};

function reasonOf({ reason, why }: UnknownBlock): string {
  return `${reasonWords[reason]}: ${why}`;
}
