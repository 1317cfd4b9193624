import type { Collector } from '../../collect/collector.ts';

/**
 * Proves after each trial that nothing was lost or done twice.
 *
 * @throws from its end if a consistency condition does not hold: such a trial is not a result
 */
export const consistency: Collector = {
  name: 'consistency',
  optional: false,
  metrics: [],
  start: ({ target, signal }) =>
    Promise.resolve({
      async finish() {
        const { withConnection } = await import('../../postgres/connect.ts');
        const { brokenConditions } = await import('./consistency.ts');
        const broken = await withConnection(target, brokenConditions, signal, { long: true });
        if (broken.length > 0) throw new Error(`The data is not consistent after the trial: ${broken.join('; ')}.`);
        return {};
      },
    }),
};
