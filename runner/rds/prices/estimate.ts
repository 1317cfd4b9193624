import path from 'node:path';
import type { PricingClient } from '@aws-sdk/client-pricing';
import { deployable, type DeployableExperiment } from '../deploy/deployable.ts';
import { type Billable, billables, leftOut, snapshotCost } from './billables.ts';
import { keptPrices, keptPricesFile, pricesCommand } from './kept-prices.ts';
import { endMinutes, maxDollars } from './margin.ts';
import type { PriceQuestion } from './live-prices.ts';
import {
  type Dates,
  datesOf,
  type Dollars,
  hoursPerMonth,
  perHour,
  type Priced,
  pricedKey,
  type PriceOrigin,
  type Prices,
  times,
  total,
} from './price.ts';
import type { VariantCost } from '../../contract/run-record.ts';
import { exists } from '../../files/look.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { placeOf } from '../../places/registry.ts';

export interface CostEstimate {
  prices: {
    source: Prices['source'];
    region: string;
    /** ISO dates of the oldest and of the newest price that was found; null if none was. */
    dates: Dates | null;
  };
  lines: CostLine[];
  /** Sum of the lines whose price is known; a lower limit if any price is not known. */
  dollarsPerHour: Dollars;
  /** The expected run from the deploy to its end; null if its length is not known. */
  run: { hours: number; dollars: Dollars } | null;
  /**
   * The dollars that the stack costs at most, and whether its lifetime or the limit of the experiment ends the bill; null
   * if nothing does.
   */
  atMost: { dollars: Dollars; by: 'expiry' | 'limit' } | null;
  /** Whether the stack deletes itself: by a limit, its lifetime, or after its run or an hour without a sign of life. */
  deletesItself: boolean;
  /** Whether the stack deletes itself without a message, and fails to do so without one. */
  isUnannounced: boolean;
  /** Snapshots that outlive the stack; null if there are none. */
  snapshots: ReturnType<typeof snapshotCost>;
  logVolumes: LogVolumeCost[];
  /** Lines whose price is not known. */
  notKnown: string[];
  /** The command that fetches the missing prices. */
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
 * @param expectedSeconds length of the whole run, deploy included; null if it cannot be predicted
 */
export function estimateCosts(
  experiment: DeployableExperiment,
  expectedSeconds: number | null,
  prices: Prices,
): CostEstimate {
  const lines = costLines(billables(experiment), prices);
  const dollarsPerHour = total(lines.flatMap((line) => line.dollarsPerHour ?? []));
  const over = (hours: number) => ({ hours, dollars: times(dollarsPerHour, hours) });
  return {
    prices: { source: prices.source, region: prices.region, dates: datesOf(lines.map(({ origin }) => origin?.date)) },
    lines,
    dollarsPerHour,
    run: expectedSeconds === null ? null : over(expectedSeconds / 3600),
    atMost: atMost(experiment, dollarsPerHour, lines),
    deletesItself: !stays(experiment),
    isUnannounced: !stays(experiment) && experiment.notify === undefined,
    snapshots: snapshotCost(experiment),
    logVolumes: Object.keys(experiment.variants).flatMap((variant) => logVolumeCost(variant, lines) ?? []),
    notKnown: lines
      .filter((line) => line.dollarsPerHour === null)
      .map(({ variant, what }) => `${variant ?? 'driver'}: ${what}`),
    remedy: pricesCommand(prices.region),
    leftOut,
  };
}

function stays({ expiry, whenDone }: DeployableExperiment): boolean {
  return expiry.kind === 'never' && whenDone === 'keep';
}

function atMost(
  experiment: DeployableExperiment,
  dollarsPerHour: Dollars,
  lines: readonly CostLine[],
): CostEstimate['atMost'] {
  const { expiry, limits } = experiment;
  const expired = expiry.kind === 'after' ? times(dollarsPerHour, expiry.hours + endMinutes / 60) : null;
  // A stack whose price is unknown does not know when it has reached its limit.
  if (!stays(experiment) && limits.dollars !== undefined && !hasUnpricedInstances({ lines })) {
    const max = maxDollars(limits.dollars, dollarsPerHour.high);
    if (!expired || max < expired.high) return { dollars: { low: max, high: max }, by: 'limit' };
  }
  return expired && { dollars: expired, by: 'expiry' };
}

/** Whether the price of an instance is missing, and with it the larger part of what a stack costs. */
export function hasUnpricedInstances({ lines }: { lines: readonly CostLine[] }): boolean {
  return lines.some(({ priced, dollarsPerHour }) => priced.kind.endsWith('-instance') && dollarsPerHour === null);
}

/** null for a variant without a log volume, or if the price of the log volume is not known. */
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

export interface CostLine {
  /** null for the driver and what belongs to it. */
  variant: string | null;
  what: string;
  priced: Priced;
  /** Whether it is part of a dedicated log volume. */
  logVolume: boolean;
  dollarsPerHour: Dollars | null;
  /** For a month of 730 hours. */
  dollarsPerMonth: Dollars | null;
  /** Where the price comes from; null if it is not known. */
  origin: PriceOrigin | null;
}

/** What each item costs, by these prices. */
function costLines(billed: readonly Billable[], prices: Prices): CostLine[] {
  return billed.map(({ variant, what, logVolume, priced, quantity }) => {
    const price = prices.find(priced);
    const dollarsPerHour = price && times(perHour(price), quantity);
    const dollarsPerMonth = dollarsPerHour && times(dollarsPerHour, hoursPerMonth);
    const origin = price && price.origin;
    return { variant, what, priced, logVolume, dollarsPerHour, dollarsPerMonth, origin };
  });
}

/**
 * What a stack costs in a Region, by the prices that are kept for it: a deploy and a driver do not ask AWS.
 *
 * @param folder with the user's own prices. @default the working folder of the process
 */
export function keptCosts(
  experiment: DeployableExperiment,
  expectedSeconds: number | null,
  region: string,
  folder?: string,
): CostEstimate {
  return estimateCosts(experiment, expectedSeconds, keptPrices(region, keptPricesFile(region, folder)));
}

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

/** What an experiment costs while it is deployed; null if nobody bills for its servers. */
export async function costsOf(
  experiment: Experiment,
  profile: string,
  expectedSeconds: number | null,
  question: PriceQuestion,
  makeClient?: () => PricingClient,
): Promise<CostEstimate | null> {
  if (!placeOf(experiment).isBilled) return null;
  const deployed = deployable(experiment, profile);
  return estimateCosts(deployed, expectedSeconds, await pricesFor(deployed, question, makeClient));
}

async function pricesFor(
  experiment: DeployableExperiment,
  question: PriceQuestion,
  makeClient?: () => PricingClient,
): Promise<Prices> {
  const { source, region, environment, workingFolder } = question;
  if (source === 'kept' || (source === 'auto' && !hasCredentials(environment))) {
    return keptPrices(region, keptPricesFile(region, workingFolder));
  }
  // Only now: loading the SDK takes as long as a plan without it.
  const { livePrices } = await import('./live-prices.ts');
  const wanted = billables(experiment).map(({ priced }) => priced);
  return livePrices(wanted, question, makeClient);
}

/** Whether credentials are set up here. This makes no request, so that a plan without credentials is quick. */
function hasCredentials(environment: PriceQuestion['environment']): boolean {
  const variables = [
    'AWS_ACCESS_KEY_ID',
    'AWS_PROFILE',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
    'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  ];
  if (variables.some((name) => (environment[name] ?? '') !== '')) return true;
  const home = environment['HOME'] ?? environment['USERPROFILE'];
  return home !== undefined && ['credentials', 'config'].some((file) => exists(path.join(home, '.aws', file)));
}
