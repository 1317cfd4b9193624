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
        return pass('random in each block');
      case 'fixed':
        return warn('always the same, so drift within a block looks like an effect');
      case 'together':
        return warn('all variants at once from one driver (experimental): the faster variant uses more of the driver');
    }
  },
};
