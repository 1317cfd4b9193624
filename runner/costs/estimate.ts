import type { DeployableExperiment } from '../experiment/deploy/deployable.ts';
import { billables, leftOut } from './billables.ts';
import { type CostLine, costLines } from './cost-lines.ts';
import { pricesCommand } from './kept-prices.ts';
import { type Dates, datesOf, type Dollars, type Prices, times, total } from './price.ts';

export interface CostEstimate {
  prices: {
    source: Prices['source'];
    region: string;
    /** ISO dates of the oldest and of the newest price that was found; null if none was. */
    dates: Dates | null;
  };
  lines: CostLine[];
  /** Sum of the lines whose price is known. It is a lower limit if a price is not known. */
  dollarsPerHour: Dollars;
  /** The expected run from the deploy to its end; null if its length is not known. */
  run: { hours: number; dollars: Dollars } | null;
  /** Cost if nobody destroys the stack before it deletes itself; null if it never does. */
  untilExpiry: { hours: number; dollars: Dollars } | null;
  logVolumes: LogVolumeCost[];
  /** Lines whose price is not known. */
  notKnown: string[];
  /** How the prices that are missing are made known, as a command. */
  remedy: string;
  /** What the estimate leaves out, in words. */
  leftOut: string;
}

export interface LogVolumeCost {
  variant: string;
  dollarsPerMonth: Dollars;
  /** The log volume's share of the variant's total cost; null if a part of that is not known. */
  share: Dollars | null;
}

/**
 * What an experiment costs while it is deployed.
 *
 * @param expectedSeconds length of the whole run, deploy included; null if nobody can foresee it
 */
export function estimateCosts(
  experiment: DeployableExperiment,
  expectedSeconds: number | null,
  prices: Prices,
): CostEstimate {
  const lines = costLines(billables(experiment), prices);
  const dollarsPerHour = total(lines.flatMap((line) => line.dollarsPerHour ?? []));
  const over = (hours: number) => ({ hours, dollars: times(dollarsPerHour, hours) });
  const { expiry } = experiment;
  return {
    prices: { source: prices.source, region: prices.region, dates: datesOf(lines.map(({ origin }) => origin?.date)) },
    lines,
    dollarsPerHour,
    run: expectedSeconds === null ? null : over(expectedSeconds / 3600),
    untilExpiry: expiry.kind === 'after' ? over(expiry.hours) : null,
    logVolumes: Object.keys(experiment.variants).flatMap((variant) => logVolumeCost(variant, lines) ?? []),
    notKnown: lines
      .filter((line) => line.dollarsPerHour === null)
      .map(({ variant, what }) => `${variant ?? 'driver'}: ${what}`),
    remedy: pricesCommand(prices.region),
    leftOut,
  };
}

/** Whether the price of an instance is missing, and with it the larger part of what a stack costs. */
export function lacksInstances({ lines }: CostEstimate): boolean {
  return lines.some(({ priced, dollarsPerHour }) => priced.kind.endsWith('-instance') && dollarsPerHour === null);
}

/** null for a variant without a log volume, or if its price is not known. */
function logVolumeCost(variant: string, all: readonly CostLine[]): LogVolumeCost | null {
  const lines = all.filter((line) => line.variant === variant);
  const monthly = (of: readonly CostLine[]) => of.flatMap(({ dollarsPerMonth }) => dollarsPerMonth ?? []);
  const logVolume = lines.filter((line) => line.logVolume);
  if (logVolume.length === 0 || monthly(logVolume).length < logVolume.length) return null;
  const dollarsPerMonth = total(monthly(logVolume));
  const whole = total(monthly(lines));
  return {
    variant,
    dollarsPerMonth,
    share:
      monthly(lines).length < lines.length
        ? null
        : { low: dollarsPerMonth.low / whole.high, high: dollarsPerMonth.high / whole.low },
  };
}
