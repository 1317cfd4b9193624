import { createHash } from 'node:crypto';
import { Token } from 'aws-cdk-lib';

/** Carries experiment and owner, so that teammates and experiments share an account and Region without colliding. */
export function experimentStackName(experiment: string, owner: string): string {
  return `pgduet-${experiment}-${owner}`;
}

/**
 * Identifier of a variant's instance or cluster. At most 51 characters, so that the members of a cluster, which get
 * "-instance-1" after it, stay within the 63 of RDS.
 *
 * @param owner up to 12 characters; may be a token
 */
export function databaseIdentifier(experiment: string, owner: string, variant: string): string {
  const ownerLength = Token.isUnresolved(owner) ? 12 : owner.length;
  return `${owner}-${shortened(`${experiment}-${variant}`, 50 - ownerLength)}`;
}

function shortened(name: string, length: number): string {
  if (name.length <= length) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${name.slice(0, length - 7).replace(/-+$/, '')}-${hash}`;
}
