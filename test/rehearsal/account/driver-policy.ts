import type { Account } from './account.ts';

/** An IAM policy in the form of the driver's role. */
export interface PolicyDocument {
  Version: string;
  Statement: { Effect: 'Allow' | 'Deny'; Action: string | string[]; Resource: string | string[] }[];
}

/** One action on one resource: a row of the table of permissions, as deployed. */
export interface Grant {
  action: string;
  resource: string;
}

/** Everything that the deployed driver may do, as grants of one action on one resource each. */
export async function driverGrants(account: Account): Promise<Grant[]> {
  const { Statement } = await account.control<PolicyDocument>('driver-policy');
  return Statement.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action, Resource }) =>
    [Action].flat().flatMap((action) => [Resource].flat().map((resource) => ({ action, resource }))),
  );
}

/** Takes every permission from the driver for which `keep` is false. Returns the policy that it had before. */
export async function restrictDriver(account: Account, keep: (grant: Grant) => boolean): Promise<PolicyDocument> {
  const before = await account.control<PolicyDocument>('driver-policy');
  const grants = (await driverGrants(account)).filter(keep);
  const Statement = grants.map(({ action, resource }) => ({
    Effect: 'Allow' as const,
    Action: action,
    Resource: resource,
  }));
  const denied = before.Statement.filter(({ Effect }) => Effect === 'Deny');
  await setDriverPolicy(account, { ...before, Statement: [...Statement, ...denied] });
  return before;
}

export async function setDriverPolicy(account: Account, policy: PolicyDocument): Promise<void> {
  await account.control('driver-policy', policy, 'PUT');
}

/** Takes an action from the driver, on every resource. Returns the policy that it had before. */
export function withoutPermission(account: Account, action: string): Promise<PolicyDocument> {
  return restrictDriver(account, (grant) => grant.action !== action);
}
