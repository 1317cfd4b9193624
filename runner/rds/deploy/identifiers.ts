import { createHash } from 'node:crypto';
import type { Conditions } from '../../contract/trial.ts';

/**
 * Name of an experiment's stack. It contains experiment and owner, so that teammates can share an account and Region.
 */
export function experimentStackName(experiment: string, owner: string): string {
  return `pgduet-${experiment}-${owner}`;
}

/** Longest owner, in characters. */
export const longestOwner = 12;

/**
 * Identifier of the instance or cluster that is a variant's server. It has at most 51 characters, including the number
 * of a replica at its end. RDS adds "-instance-1" for the members of a cluster, and allows 63 characters in all.
 *
 * @param ownerLength length of the owner; differs from that of `owner` if this is a placeholder
 */
export function identifierOfServer(
  experiment: string,
  owner: string,
  { variant, replica }: Conditions,
  ownerLength = owner.length,
): string {
  const number = replica === undefined ? '' : `-${replica}`;
  return `${owner}-${shortened(`${experiment}-${variant}`, 50 - ownerLength - number.length)}${number}`;
}

function shortened(name: string, length: number): string {
  if (name.length <= length) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${name.slice(0, length - 7).replace(/-+$/, '')}-${hash}`;
}
