import type { RDSClient } from '@aws-sdk/client-rds';
import { UserError } from '../../contract/errors.ts';
import type { ServerBinding } from '../contract/binding.ts';
import type { DatabaseApi, DatabaseState, Deployment } from './deployment.ts';
import { deployments } from './every-deployment.ts';

export const deploymentNames: readonly string[] = deployments.map(({ name }) => name);

/**
 * The deployment of a variant. A file that says none has the first one.
 *
 * @throws {UserError} if this version of pgduet does not know it
 */
export function deploymentOf({ deployment }: { deployment?: string | undefined }): Deployment {
  return found(
    deployments.find(({ name }) => deployment === undefined || name === deployment),
    `${deployment}`,
  );
}

/** The deployments of variants, each once, in the order of the registry. */
export function deploymentsOf(variants: Readonly<Record<string, { deployment?: string | undefined }>>): Deployment[] {
  const used = new Set(Object.values(variants).map(deploymentOf));
  return deployments.filter((one) => used.has(one));
}

/** What a binding says about a server and its deployment. */
export type BoundDeployment = Pick<ServerBinding, 'kind'> & { expected: Pick<ServerBinding['expected'], 'multiAz'> };

/** @throws {UserError} if this version of pgduet does not know it */
export function deploymentOfServer({ kind, expected: { multiAz } }: BoundDeployment): Deployment {
  return found(
    deployments.find((one) => one.kind === kind && one.multiAz === multiAz),
    `${kind}, Multi-AZ: ${multiAz}`,
  );
}

/** How RDS is asked about a server. */
export function apiOf(server: BoundDeployment): Promise<DatabaseApi> {
  return deploymentOfServer(server).api();
}

/** @returns null if there is no such database. @throws {AwsCallError} */
export async function describeDatabase(rds: RDSClient, server: ServerBinding): Promise<DatabaseState | null> {
  return (await apiOf(server)).describe(rds, server.identifier);
}

/** The number of instances of a database. */
export function instanceCount({ members }: Deployment): number {
  return members?.names('').length ?? 1;
}

/** The number of zones that the database subnets must span; a new network has this many. */
export function zonesNeeded({ variants }: { variants: Parameters<typeof deploymentsOf>[0] }): number {
  return Math.max(2, ...deploymentsOf(variants).map(({ zones }) => zones));
}

function found(deployment: Deployment | undefined, name: string): Deployment {
  if (deployment) return deployment;
  throw new UserError(`The deployment is ${name}; this version of pgduet supports ${deploymentNames.join(', ')}.`);
}
