import { Token } from 'aws-cdk-lib';
import type { Conditions } from '../runner/contract/trial.ts';
import { identifierOfServer, longestOwner } from '../runner/rds/deploy/identifiers.ts';

/**
 * Identifiers that RDS gives the three instances of a Multi-AZ cluster. CloudWatch has the metrics of each of them.
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html
 */
export function memberIdentifiers(cluster: string): readonly string[] {
  return [1, 2, 3].map((number) => `${cluster}-instance-${number}`);
}

/** Identifier of the instance or cluster that is a variant's server. @param owner may be a CDK token */
export function databaseIdentifier(experiment: string, owner: string, server: Conditions): string {
  return identifierOfServer(experiment, owner, server, Token.isUnresolved(owner) ? longestOwner : owner.length);
}
