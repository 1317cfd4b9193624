import { createHash } from 'node:crypto';
import { Token } from 'aws-cdk-lib';
import { UserError } from '../runner/experiment/user-error.ts';

const ownerPattern = '[a-z][a-z0-9]{0,11}';

/** Pattern of an owner, short enough to be part of every identifier. */
export const ownerParameterPattern = `^${ownerPattern}$`;

/** @throws {UserError} where the name could not be part of an RDS identifier */
export function checkedOwner(owner: string): string {
  if (new RegExp(ownerParameterPattern).test(owner)) return owner;
  throw new UserError(
    `Owner "${owner}" cannot be part of identifiers. Expected up to 12 lower-case letters and digits, starting with a letter, such as -c owner=alice.`,
  );
}

/** The login name of the person who deploys, made fit to be an owner. */
export function ownerFromLogin(login: string): string {
  const fit = login
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, 12);
  return fit === '' ? 'somebody' : fit;
}

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
