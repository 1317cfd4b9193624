/** True under `npm run lab -- thorough`. */
export const isThorough = process.env['PGDUET_THOROUGH'] === '1';

/**
 * How often a test repeats what it draws at random: `all` times under `npm run lab -- thorough`, and only a part of them
 * otherwise, because people wait for it.
 */
export function repeats(all: number, part = 0.1): number {
  return isThorough ? all : Math.ceil(all * part);
}
