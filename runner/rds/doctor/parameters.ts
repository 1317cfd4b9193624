import type { Parameter, RDSClient } from '@aws-sdk/client-rds';
import type { Deployment } from '../deployments/deployment.ts';
import { deploymentOf } from '../deployments/registry.ts';
import { UserError } from '../../contract/errors.ts';
import type { DeployableVariant } from '../deploy/deployable.ts';

/**
 * Checks that RDS takes the parameters of a variant: that it knows each, lets users set it, and allows its value. Those
 * of a Multi-AZ cluster are in their own family, which lacks some.
 *
 * @param name of the variant
 * @param knownTo from `parametersOfFamilies`
 * @returns how many were checked
 * @throws {UserError} with a line for each that RDS would refuse
 */
export async function requireParameters(
  name: string,
  variant: DeployableVariant,
  knownTo: (variant: DeployableVariant) => Promise<ReadonlyMap<string, Parameter>>,
): Promise<number> {
  const wanted = Object.entries(variant.engine.parameters);
  if (wanted.length === 0) return 0;
  const known = await knownTo(variant);
  const problems = wanted.flatMap(([parameter, value]) => {
    const problem = problemOf(value, known.get(parameter));
    return problem === null ? [] : [`variants.${name}.engine.parameters.${parameter} is ${value}: ${problem}`];
  });
  if (problems.length > 0) throw new UserError(problems);
  return wanted.length;
}

/** Asks once for each family, which is often that of all variants. @returns the parameters of a variant's family, by name */
export function parametersOfFamilies(
  rds: RDSClient,
): (variant: DeployableVariant) => Promise<ReadonlyMap<string, Parameter>> {
  const asked = new Map<string, Promise<ReadonlyMap<string, Parameter>>>();
  return (variant) => {
    const deployment = deploymentOf(variant);
    const family = `${variant.engine.major} ${deployment.kind}`;
    const known = asked.get(family) ?? knownParameters(rds, deployment, `postgres${variant.engine.major}`);
    asked.set(family, known);
    return known;
  };
}

async function knownParameters(
  rds: RDSClient,
  deployment: Deployment,
  family: string,
): Promise<ReadonlyMap<string, Parameter>> {
  const parameters = await (await deployment.api()).defaultParameters(rds, family);
  return new Map(parameters.map((parameter) => [parameter.ParameterName ?? '', parameter]));
}

function problemOf(value: string, parameter: Parameter | undefined): string | null {
  if (parameter === undefined) return 'RDS has no such parameter for this version and deployment; remove it';
  if (parameter.IsModifiable === false) return 'RDS does not let users set it; remove it';
  const { AllowedValues: allowed, DataType } = parameter;
  // A formula, such as {DBInstanceClassMemory/32768}, is computed by RDS.
  if (allowed === undefined || allowed === '' || value.includes('{')) return null;
  const values = DataType === 'list' ? value.split(',').map((one) => one.trim()) : [value];
  return values.every((one) => allows(allowed, one)) ? null : `RDS accepts ${allowed}`;
}

/** Whether a text such as `0,1` or `16-1073741823` or `none,ddl,mod,all` allows a value. */
function allows(allowed: string, value: string): boolean {
  return allowed.split(',').some((part) => {
    const one = part.trim();
    const [, min, max] = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/.exec(one) ?? [];
    if (min === undefined || max === undefined) return one.toLowerCase() === value.toLowerCase();
    return value.trim() !== '' && Number(value) >= Number(min) && Number(value) <= Number(max);
  });
}
