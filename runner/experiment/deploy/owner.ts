import { UserError } from '../../contract/errors.ts';

const ownerPattern = '[a-z][a-z0-9]{0,11}';

/** Pattern of an owner, short enough to be part of every identifier. */
export const ownerParameterPattern = `^${ownerPattern}$`;

/** @throws {UserError} if the name could not be part of an RDS identifier */
export function checkedOwner(owner: string): string {
  if (new RegExp(ownerParameterPattern).test(owner)) return owner;
  throw new UserError(
    `Owner "${owner}" cannot be part of identifiers. Expected up to 12 lower-case letters and digits, starting with a letter, such as alice.`,
  );
}

/** Makes an owner from the login name of the person who deploys. */
export function ownerFromLogin(login: string): string {
  const fit = login
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, 12);
  return fit === '' ? 'somebody' : fit;
}
