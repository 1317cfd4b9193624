import type { Deployment } from './deployment.ts';
import { crossingOver, examining, instance } from './instance.ts';

/** An instance with a standby in another zone, which nobody can read. */
export const multiAzInstance: Deployment = {
  ...instance,
  name: 'multi-az-instance',
  words: 'a Multi-AZ instance',
  multiAz: true,
  zones: 2,
  isOffered: ({ MultiAZCapable }) => MultiAZCapable === true,
  priceOption: 'Multi-AZ',
  calls: [...examining, { action: 'rds:RebootDBInstance', on: 'database', to: 'fail over' }, ...crossingOver],
};
