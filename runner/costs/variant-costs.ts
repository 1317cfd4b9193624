import type { VariantCost } from '../contract/variant-cost.ts';
import type { DeployableExperiment } from '../experiment/deploy/deployable.ts';
import { billables } from './billables.ts';
import { costLines } from './cost-lines.ts';
import { hoursPerMonth, pricedKey, type Prices, times, total } from './price.ts';

/** What one server of each variant costs, by the name of the variant. */
export function variantCosts(experiment: DeployableExperiment, prices: Prices): ReadonlyMap<string, VariantCost> {
  const oneServerEach = { ...experiment, protocol: { ...experiment.protocol, replicas: 1 } };
  const billed = billables(oneServerEach).filter(({ priced }) => priced.kind !== 'database-insights');
  const lines = costLines(billed, prices);
  return new Map(
    Object.keys(experiment.variants).map((name) => {
      const parts = lines
        .filter(({ variant }) => variant === name)
        .map(({ what, priced, logVolume, dollarsPerMonth, origin }): VariantCost['parts'][number] => ({
          what,
          unit: pricedKey(priced),
          logVolume,
          dollarsPerMonth,
          source: origin && [origin.words, origin.url].filter((part) => part !== undefined).join(', '),
          date: origin && origin.date,
        }));
      const known = parts.flatMap(({ dollarsPerMonth }) => dollarsPerMonth ?? []);
      const month = known.length === parts.length ? total(known) : null;
      const cost = { region: prices.region, dollarsPerHour: month && times(month, 1 / hoursPerMonth) };
      return [name, { ...cost, dollarsPerMonth: month, parts }];
    }),
  );
}
