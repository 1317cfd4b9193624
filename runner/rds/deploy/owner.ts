import { userInfo } from 'node:os';
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

/** Login names that belong to an image or a service, and not to the person who uses it. */
const sharedLogins =
  /^(admin(istrator)?|bitnami|centos|circleci|cloudshelluser|codespace|debian|deploy|docker|ec2-user|fedora|gitpod|jenkins|node|root|runner|ssm-user|ubuntu|user|vagrant|vscode)$/;

/**
 * A warning about an owner made from a login name that other people may have as well: they would then share one stack.
 *
 * @returns null if the name seems to belong to one person
 */
export function sharedOwnerWarning(login: string): string | null {
  const owner = ownerFromLogin(login);
  const isShortened = !login
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .endsWith(owner);
  if (!sharedLogins.test(login.toLowerCase()) && !isShortened) return null;
  return `The owner defaults to "${owner}", from the login name "${login}". Someone with the same login could replace or destroy your stack. Set your own: -c owner=WHO.`;
}

/**
 * The owner of a deploy: the one that was named, or else one made from the login name.
 *
 * @param named by an option or in the context
 * @throws {UserError} if it could not be part of an identifier, or if there is neither
 */
export function ownerOfDeploy(named: string | undefined): string {
  return checkedOwner(named ?? ownerFromLogin(loginName()));
}

/** @throws {UserError} if the user has no name, as in many containers */
export function loginName(lookUp = () => userInfo().username): string {
  try {
    return lookUp();
  } catch {
    throw new UserError(
      `User ${process.getuid?.() ?? ''} has no login name, which a deploy gets its owner from. Name the owner: --owner WHO, or -c owner=WHO for the CDK.`,
    );
  }
}

/** Makes an owner from the login name of the person who deploys. */
export function ownerFromLogin(login: string): string {
  const fit = login
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, 12);
  return fit === '' ? 'someone' : fit;
}
