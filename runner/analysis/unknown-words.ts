import type { UnknownBlock } from '../contract/comparison.ts';

const because = {
  lost: 'a trial of it was lost',
  'cut-off': 'it was cut off when its figures could be seen, and measured anew',
} as const;

/** Such as `block 3 is unknown (a trial of it was lost: with-log-volume failed in measure: the server ended)`. */
export function unknownWords(unknown: readonly UnknownBlock[]): string {
  return unknown
    .map(({ block, replica, reason, why }) => {
      const where = replica === undefined ? '' : ` on replica ${replica}`;
      return `block ${block}${where} is unknown (${because[reason]}: ${why})`;
    })
    .join(', ');
}
