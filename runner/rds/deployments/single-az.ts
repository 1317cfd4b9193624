import type { Deployment } from './deployment.ts';
import { crossingOver, examining, instance } from './instance.ts';

export const singleAz: Deployment = {
  ...instance,
  name: 'single-az',
  words: 'a Single-AZ instance',
  multiAz: false,
  zones: 1,
  isOffered: () => true,
  priceOption: 'Single-AZ',
  calls: [...examining, ...crossingOver],
};
