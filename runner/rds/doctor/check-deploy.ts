import path from 'node:path';
import { exists } from '../../files/look.ts';
import { type Checker, checker, type CheckOutcome, type Found } from '../../probes/probe.ts';
import { AwsCallError } from '../aws/call.ts';
import { UserError } from '../../contract/errors.ts';
import { calledServices } from '../deploy/aws-sources.ts';
import { pricesCommand } from '../prices/kept-prices.ts';
import type { DeployableExperiment } from '../deploy/deployable.ts';
import { type Account, checkAccount, type DoctorClients, findBootstrapKey } from './account.ts';
import { checkScripts } from '../../probes/check-scripts.ts';
import { checkResultsKey } from './keys.ts';
import { findRuntimeMonitoring, requireAuthority, requireCapacity } from './region.ts';
import { requireEndpointServices } from './endpoint-services.ts';
import { requireNetwork } from './existing-network.ts';
import { parametersOfFamilies, requireParameters } from './parameters.ts';
import { chooseZone, zoneOption } from './choose-zone.ts';
import { driverZones, orderableZones, stackZones } from './zones.ts';
import { checkDriverQuota, checkEndpointQuota, checkRdsQuotas, checkVpcQuota } from './quotas.ts';

/** Programs that a deploy does not need, and the purpose of each. */
const programs = {
  aws: 'the AWS command line copies results: https://aws.amazon.com/cli/',
  'session-manager-plugin':
    '`aws ssm start-session` needs it for a shell on the driver: https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-install-plugin.html',
};

/** Looks for programs that are useful after a deploy. The deploy itself does not need them. */
function findDeployingPrograms(environment: Readonly<Record<string, string | undefined>>): Found<true> {
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const isThere = (name: string): boolean =>
    folders.some((folder) => [name, `${name}.exe`].some((file) => exists(path.join(folder, file))));
  const missing = Object.entries(programs).filter(([name]) => !isThere(name));
  const there = Object.keys(programs).filter((name) => missing.every(([other]) => other !== name));
  return {
    detail: there.join(', ') || 'none',
    value: true,
    notes: missing.map(([name, what]) => `${name} is not on the PATH: ${what}`),
  };
}

export interface DeployQuestion {
  experiment: DeployableExperiment;
  owner: string;
  /** Certificate authorities that the driver gets, as PEM. */
  certificates: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  /** Where the experiment's scripts are. */
  scriptFolder: string;
  signal: AbortSignal;
  /** The parts of the experiment's stack that have no known price in a Region, as texts. */
  pricesNotKnown: (region: string) => Promise<readonly string[]>;
}

/**
 * Checks, before a deploy costs anything, that the account and Region can take the experiment. Names every obstacle,
 * and what to do or to ask AWS for. It only reads.
 */
export async function checkDeploy(
  question: DeployQuestion,
  clients: DoctorClients,
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const { experiment, owner } = question;
  const checks = checker(report);
  const { check, outcomes } = checks;
  await check('programs', () => Promise.resolve(findDeployingPrograms(question.environment)));
  await checkScripts(check, experiment, { ...question, isElsewhere: true });
  const account = await checkAccount(checks, clients, { experiment: experiment.name, owner });
  if (account === null) return outcomes;

  await check('bootstrap-bucket', () => ifAllowed(() => findBootstrapKey(clients.s3, account)));
  await check('results-key', () => ifAllowed(() => checkResultsKey(clients, experiment, account)));
  await checkPlaces(checks, experiment, { account, clients });
  if (!account.hasDeployed) await checkQuotas(checks, experiment, clients);
  await check('certificate-authority', () =>
    found(requireAuthority(clients.rds, account.region, question.certificates)),
  );
  await check('guardduty', () => ifAllowed(() => findRuntimeMonitoring(clients.guardDuty)));
  await check('prices', () => findPrices(question, account.region));
  return outcomes;
}

/** Checks the classes, and the zone and subnets for them. */
async function checkPlaces(
  { check }: Checker,
  experiment: DeployableExperiment,
  { account, clients }: { account: Account; clients: DoctorClients },
): Promise<void> {
  const { ec2, rds } = clients;
  const { network } = experiment;
  const variants = new Map<string, readonly string[]>();
  const knownTo = parametersOfFamilies(rds);
  for (const [name, variant] of Object.entries(experiment.variants)) {
    const zones = await check({ id: 'variant-offered', of: name }, async () => {
      const value = await orderableZones(rds, variant);
      const detail = `${variant.class}, PostgreSQL ${variant.engine.version}: ${value.join(', ')}`;
      return { detail, value, notes: await requireCapacity(ec2, name, variant) };
    });
    if (zones) variants.set(name, zones);
    await check({ id: 'parameters-known', of: name }, () =>
      ifAllowed(async () => ({
        detail: `${await requireParameters(name, variant, knownTo)} are known to RDS`,
        value: true,
      })),
    );
  }
  const driver = await check('driver-offered', async () => {
    const value = await driverZones(ec2, experiment.driver.class);
    return { detail: `${experiment.driver.class}: ${value.join(', ')}`, value };
  });
  const subnets =
    network.mode === 'existing' &&
    (await check('subnets', async () => {
      const value = await requireNetwork(ec2, network, { ...experiment, region: account.region });
      return { detail: `${network.vpcId}: ${value.join(', ')}`, value };
    }));
  if (driver === null || subnets === null) return;
  const zone = await check('zone', async () => {
    const { names, ids } = await stackZones(ec2);
    const { chosen, others } = chooseZone(experiment, { stack: subnets === false ? names : subnets, driver, variants });
    const next =
      others.length === 0 ? '' : `; if it has no capacity, deploy with ${others.map(zoneOption).join(', then ')}`;
    return { detail: `${chosen} (${ids.get(chosen) ?? 'of unknown id'})${next}`, value: chosen };
  });
  if (network.mode !== 'private' || zone === null) return;
  const called = calledServices(experiment);
  await check('endpoints', () =>
    ifAllowed(async () => {
      await requireEndpointServices(ec2, { region: account.region, zone, called });
      return { detail: `${zone} has one for each of ${called.join(', ')}`, value: true };
    }),
  );
}

async function checkQuotas(
  { check }: Checker,
  experiment: DeployableExperiment,
  clients: DoctorClients,
): Promise<void> {
  const { mode } = experiment.network;
  await check('ec2-quota', () => found(checkDriverQuota(clients, experiment.driver.class)));
  if (mode !== 'existing') await check('vpc-quota', () => found(checkVpcQuota(clients)));
  if (mode === 'private') await check('endpoint-quota', () => found(checkEndpointQuota(clients)));
  await check('rds-quotas', () => found(checkRdsQuotas(clients, experiment)));
}

async function found(detail: Promise<string>): Promise<Found<true>> {
  return { detail: await detail, value: true };
}

/** Turns a denied check into a note: a user who may not read something may still deploy. */
async function ifAllowed(look: () => Promise<Found<true>>): Promise<Found<true>> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AwsCallError) || !error.denied) throw error;
    return {
      detail: 'not checked',
      value: true,
      state: 'not-assessed',
      notes: [`Not checked: ${error.message}`],
    };
  }
}

/** A missing price is an obstacle only if the experiment limits its costs. */
async function findPrices({ experiment, pricesNotKnown }: DeployQuestion, region: string): Promise<Found<true>> {
  const notKnown = await pricesNotKnown(region);
  if (notKnown.length === 0) return { detail: `all known for ${region}`, value: true };
  const missing = `No price in ${region} for ${notKnown.join('; ')}.`;
  if (experiment.limits.dollars !== undefined) {
    throw new UserError(
      `${missing} Without prices, pgduet cannot enforce limits.dollars. Fetch them, which needs no credentials: ${pricesCommand(region)}`,
    );
  }
  return { detail: 'some prices unknown', value: true, notes: [missing] };
}
