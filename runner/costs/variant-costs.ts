import type { VariantCost } from '../contract/variant-cost.ts';
import type { DeployableExperiment } from '../experiment/deploy/deployable.ts';
import { billables } from './billables.ts';
import { hoursPerMonth, perHour, pricedKey, type Prices, times, total } from './price.ts';

/** What one server of each variant costs, by the name of the variant. */
export function variantCosts(experiment: DeployableExperiment, prices: Prices): ReadonlyMap<string, VariantCost> {
  const oneServerEach = { ...experiment, protocol: { ...experiment.protocol, replicas: 1 } };
  const lines = billables(oneServerEach).filter(({ priced }) => priced.kind !== 'database-insights');
  return new Map(
    Object.keys(experiment.variants).map((name) => {
      const parts = lines
        .filter(({ variant }) => variant === name)
        .map(({ what, priced, quantity, logVolume }): VariantCost['parts'][number] => {
          const price = prices.find(priced);
          return {
            ...{ what, unit: pricedKey(priced), logVolume },
            dollarsPerMonth: price && times(perHour(price), quantity * hoursPerMonth),
            source: price && [price.origin.words, price.origin.url].filter((part) => part !== undefined).join(', '),
            date: price && price.origin.date,
          };
        });
      const known = parts.flatMap(({ dollarsPerMonth }) => dollarsPerMonth ?? []);
      const month = known.length === parts.length ? total(known) : null;
      const cost = { region: prices.region, dollarsPerHour: month && times(month, 1 / hoursPerMonth) };
      return [name, { ...cost, dollarsPerMonth: month, parts }];
    }),
  );
}
