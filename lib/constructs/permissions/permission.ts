import { Aws } from 'aws-cdk-lib';
import { type Conditions, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ServerBinding } from '../../../runner/rds/contract/binding.ts';
import { deploymentOfServer } from '../../../runner/rds/deployments/registry.ts';

/** One action that the driver may perform. The policy consists of these rows and nothing else. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
  /** What the driver does when it needs the permission. Without it, this step fails. */
  readonly step: string;
  readonly why: string;
  /** What the request must be about besides the resource. */
  readonly conditions?: Conditions;
  /** Why the resource contains a wildcard; required if it does. */
  readonly wildcard?: string;
}

export type PermittedServer = Pick<ServerBinding, 'kind' | 'identifier' | 'expected'>;

/** @throws if a row has a wildcard action, a wildcard resource without a reason, or a key without a condition, which is a bug */
export function permissionsDocument(permissions: readonly Permission[]): PolicyDocument {
  for (const { action, resource, wildcard, conditions } of permissions) {
    if (action.startsWith('kms:') && !conditions) throw new Error(`The driver's policy lets anything call ${action}.`);
    if (action.includes('*')) throw new Error(`The driver's policy has the wildcard action ${action}.`);
    if (resource.includes('*') && wildcard === undefined) {
      throw new Error(`The driver's policy has the wildcard resource ${resource} without a reason.`);
    }
  }
  return new PolicyDocument({
    statements: permissions.map(
      ({ action, resource, conditions }) =>
        new PolicyStatement({ actions: [action], resources: [resource], ...(conditions && { conditions }) }),
    ),
  });
}

/**
 * Makes the credentials of a role useless outside a VPC that has an endpoint for every service that they are for. What a
 * service asks another one for the role, such as S3 asks KMS, does not come by an endpoint.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-sourcevpc
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-viaawsservice
 */
export function onlyInside(vpcId: string): PolicyDocument {
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['*'],
        resources: ['*'],
        conditions: {
          StringNotEquals: { 'aws:SourceVpc': vpcId },
          BoolIfExists: { 'aws:ViaAWSService': 'false' },
        },
      }),
    ],
  });
}

/** Restricts the use of a key to one service, which uses it for the caller. Nothing in a stack calls KMS itself. */
export function only(service: 's3' | 'rds' | 'secretsmanager'): Conditions {
  return { StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.amazonaws.com` } };
}

/** The instances of a database. */
export function instancesOf(server: PermittedServer): Pick<Permission, 'resource' | 'wildcard'> {
  const { members } = deploymentOfServer(server);
  if (!members) return { resource: rdsArn('db', server.identifier) };
  return { resource: rdsArn('db', members.pattern(server.identifier)), wildcard: membersNamedByRds };
}

/** @param kind of a resource of RDS, such as `db` */
export function rdsArn(kind: string, identifier: string): string {
  return `arn:${Aws.PARTITION}:rds:${Aws.REGION}:${Aws.ACCOUNT_ID}:${kind}:${identifier}`;
}

export const membersNamedByRds = 'RDS names the members of a Multi-AZ cluster itself.';
