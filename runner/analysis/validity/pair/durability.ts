import { type PairCheck, warn } from '../check.ts';

/**
 * Whether a crash of the machine would leave the data of both sides whole. Without fsync, commits are as fast as memory, which says
 * nothing about servers whose data somebody needs.
 */
export const durability: PairCheck = {
  id: 'durability',
  name: 'durability',
  couldChange: 'none',
  remedy: 'Set fsync to on where data must survive a crash of the machine, then rerun.',
  judge: (_, { baseline, candidate }) => {
    const without = [baseline, candidate].filter(({ servers }) =>
      servers.some(({ settings }) => settings['fsync'] === 'off'),
    );
    const labels = without.map(({ label }) => label).join(' and ');
    return without.length === 0
      ? null
      : warn(
          `fsync is off on ${labels}: a crash of the machine may destroy the data, and commits do not wait for a disk`,
        );
  },
};
