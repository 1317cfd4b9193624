import { createHash } from 'node:crypto';

/**
 * What one draw is for: every part that makes it another draw than the others of a plan, such as `{ of: 'order', block: 3,
 * clients: 16 }`. The order of the parts does not matter.
 */
export type Purpose = Readonly<Record<string, string | number>> & { readonly of: string };

/**
 * The chance of a plan is a hash of its seed and of what is drawn. So every draw has a coin of its own, which no other draw
 * moves. A generator that is seeded once for each level does not give this: its first output is close to its seed, so that
 * streams with neighbouring seeds begin alike.
 *
 * @returns an integer from 0 to 2^32 − 1
 */
export function drawBits(seed: number, purpose: Purpose): number {
  return hash(seed, purpose).readUInt32BE(0);
}

/** A number from 0 to 1, without 1; each of 2^48 values is as likely as any other. */
export function drawShare(seed: number, purpose: Purpose): number {
  return hash(seed, purpose).readUIntBE(0, 6) / 2 ** 48;
}

/** The items in an order of chance, each order as likely as any other (Fisher and Yates). Returns a new array. */
export function drawOrder<T>(items: readonly T[], seed: number, purpose: Purpose): T[] {
  const left = [...items];
  return items.map((_, draw) => {
    const index = left.length === 1 ? 0 : Math.floor(left.length * drawShare(seed, { ...purpose, draw }));
    return left.splice(index, 1)[0] as T;
  });
}

/** SHA-256 of an encoding that is the same for the same parts, and another for any others. */
function hash(seed: number, purpose: Purpose): Buffer {
  const parts = Object.entries(purpose).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([seed, ...parts]))
    .digest();
}
