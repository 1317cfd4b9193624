import type { DeployableExperiment } from '../../experiment/deploy/deployable.ts';
import { checker, type CheckOutcome } from '../probe.ts';
import { checkAccount } from './account.ts';
import type { DoctorClients } from './aws-clients.ts';
import { orderableZones } from './orderable.ts';
import { checkDriverQuota, checkRdsQuotas } from './quotas.ts';
import { chooseZone, driverZones, openZones } from './zones.ts';

/**
 * Proves, before a deploy costs anything, that account and Region can take the experiment. Names every obstacle, and what
 * to do or to ask for. It only reads.
 */
export async function checkDeploy(
  experiment: DeployableExperiment,
  owner: string,
  clients: DoctorClients,
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const checks = checker(report);
  const { check, outcomes } = checks;
  if (!(await checkAccount(checks, clients, { experiment: experiment.name, owner }))) return outcomes;

  const variants = new Map<string, readonly string[]>();
  for (const [name, variant] of Object.entries(experiment.variants)) {
    const zones = await check(`variant ${name}`, async () => {
      const value = await orderableZones(clients.rds, variant);
      return { detail: `${variant.class}, PostgreSQL ${variant.engine.version}: ${value.join(', ')}`, value };
    });
    if (zones) variants.set(name, zones);
  }
  const driver = await check('driver', async () => {
    const value = await driverZones(clients.ec2, experiment.driver.class);
    return { detail: `${experiment.driver.class}: ${value.join(', ')}`, value };
  });
  if (driver) {
    await check('zone', async () => {
      const open = await openZones(clients.ec2);
      const value = chooseZone(experiment, { open, driver, variants });
      return { detail: value, value };
    });
    await check('quota of EC2', async () => {
      const detail = await checkDriverQuota(clients, experiment.driver.class);
      return { detail, value: true };
    });
  }
  await check('quotas of RDS', async () => {
    const detail = await checkRdsQuotas(clients, experiment);
    return { detail, value: true };
  });
  return outcomes;
}
