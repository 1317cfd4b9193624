import { type PairCheck, pass, warn } from '../check.ts';

/** Whether the order was drawn by chance: then a change over time does not look like an effect. */
export const order: PairCheck = ({ experiment }) => {
  const name = 'order';
  switch (experiment.definition.protocol.order) {
    case 'random':
      return [pass(name, 'drawn by chance for each block')];
    case 'fixed':
      return [warn(name, 'always the same: a change within a block looks like an effect of the variant')];
    case 'together':
      return [
        warn(name, 'at the same time from one driver (experimental): the faster variant takes more of the driver'),
      ];
  }
};
