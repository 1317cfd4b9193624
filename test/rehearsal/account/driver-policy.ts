import type { Account } from './account.ts';

/** An IAM policy as the driver's role has it. */
export interface PolicyDocument {
  Version: string;
  Statement: { Effect: 'Allow'; Action: string | string[]; Resource: string | string[] }[];
}

/** One action on one resource: a row of the table of permissions, as it was deployed. */
export interface Grant {
  action: string;
  resource: string;
}

/** All that the deployed driver may do, one action on one resource each. */
export async function driverGrants(account: Account): Promise<Grant[]> {
  const { Statement } = await account.control<PolicyDocument>('driver-policy');
  return Statement.flatMap(({ Action, Resource }) =>
    [Action].flat().flatMap((action) => [Resource].flat().map((resource) => ({ action, resource }))),
  );
}

/** Leaves the driver only what `keep` says of what it has. Returns what it had. */
export async function restrictDriver(account: Account, keep: (grant: Grant) => boolean): Promise<PolicyDocument> {
  const before = await account.control<PolicyDocument>('driver-policy');
  const grants = (await driverGrants(account)).filter(keep);
  const Statement = grants.map(({ action, resource }) => ({
    Effect: 'Allow' as const,
    Action: action,
    Resource: resource,
  }));
  await setDriverPolicy(account, { ...before, Statement });
  return before;
}

export async function setDriverPolicy(account: Account, policy: PolicyDocument): Promise<void> {
  await account.control('driver-policy', policy, 'PUT');
}

/** Takes an action from the driver, whatever the resource. */
export async function withoutPermission(account: Account, action: string): Promise<void> {
  await restrictDriver(account, (grant) => grant.action !== action);
}
