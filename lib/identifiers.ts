import { Token } from 'aws-cdk-lib';
import type { Conditions } from '../runner/contract/trial.ts';
import { identifierOfServer, longestOwner } from '../runner/rds/deploy/identifiers.ts';

/** Identifier of the instance or cluster that is a variant's server. @param owner may be a CDK token */
export function databaseIdentifier(experiment: string, owner: string, server: Conditions): string {
  return identifierOfServer(experiment, owner, server, Token.isUnresolved(owner) ? longestOwner : owner.length);
}
