import { type PairCheck, pass, warn } from '../check.ts';

/** Whether the order was drawn by chance: then a change over time does not look like an effect. */
export const order: PairCheck = {
  id: 'order',
  name: 'order',
  couldChange: 'answer',
  remedy: 'Measure in a random order (protocol.order: random).',
  judge: ({ experiment }) => {
    switch (experiment.definition.protocol.order) {
      case 'random':
        return pass('drawn by chance for each block');
      case 'fixed':
        return warn('always the same: a change within a block looks like an effect of the variant');
      case 'together':
        return warn('at the same time from one driver (experimental): the faster variant takes more of the driver');
    }
  },
};
