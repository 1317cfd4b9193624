import { createHash } from 'node:crypto';
import { Token } from 'aws-cdk-lib';
import type { Conditions } from '../runner/contract/trial.ts';

/**
 * Name of an experiment's stack. It contains experiment and owner, so that teammates can share an account and Region.
 */
export function experimentStackName(experiment: string, owner: string): string {
  return `pgduet-${experiment}-${owner}`;
}

/**
 * Identifier of the instance or cluster that is a variant's server. It has at most 51 characters, including the number
 * of a replica at its end. RDS adds "-instance-1" for the members of a cluster, and allows 63 characters in all.
 *
 * @param owner up to 12 characters; may be a CDK token
 */
export function databaseIdentifier(experiment: string, owner: string, { variant, replica }: Conditions): string {
  const ownerLength = Token.isUnresolved(owner) ? 12 : owner.length;
  const number = replica === undefined ? '' : `-${replica}`;
  return `${owner}-${shortened(`${experiment}-${variant}`, 50 - ownerLength - number.length)}${number}`;
}

/**
 * Identifiers that RDS gives the three instances of a Multi-AZ cluster. CloudWatch has the metrics of each of them.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html
 */
export function memberIdentifiers(cluster: string): readonly string[] {
  return [1, 2, 3].map((number) => `${cluster}-instance-${number}`);
}

function shortened(name: string, length: number): string {
  if (name.length <= length) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${name.slice(0, length - 7).replace(/-+$/, '')}-${hash}`;
}
