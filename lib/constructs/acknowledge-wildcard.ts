import { Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Tells cdk-nag why a policy has this wildcard resource. cdk-nag requires a reason for each of them. */
export function acknowledgeWildcard(scope: IConstruct, resource: string, reason: string): void {
  const name = flattened(Stack.of(scope).resolve(resource));
  Validations.of(scope).acknowledge({ id: `AwsSolutions-IAM5[Resource::${name}]`, reason });
}

/** A resolved string as cdk-nag writes it: references in angle brackets, other functions as JSON. */
function flattened(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(flattened).join('');
  const { Ref: reference, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  if (reference !== undefined) return `<${reference}>`;
  return join ? flattened(join[1]) : JSON.stringify(value);
}
