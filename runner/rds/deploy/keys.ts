import { keyArnPattern } from '../../contract/experiment/deployment.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';

/** Key of the bucket for results; undefined if the driver needs no permission for it. */
export function resultsKeyOf({ encryption }: Pick<Experiment, 'encryption'>): string | undefined {
  return encryption?.resultsKmsKeyArn ?? encryption?.kmsKeyArn;
}

/** The keys that an experiment names, by their places in the file. */
export function keysOf({
  encryption,
  credentials,
}: Pick<Experiment, 'encryption' | 'credentials'>): Record<string, string | undefined> {
  return {
    'encryption.kmsKeyArn': encryption?.kmsKeyArn,
    'encryption.resultsKmsKeyArn': encryption?.resultsKmsKeyArn,
    'credentials.kmsKeyArn': credentials.kind === 'existing' ? credentials.kmsKeyArn : undefined,
  };
}

/**
 * Checks that keys are in the Region of the stack. No service there could use another one.
 *
 * @param keys by what names them
 * @throws {UserError} that names every other key
 */
export function requireKeysOf(region: string, keys: Readonly<Record<string, string | undefined>>): void {
  const problems = Object.entries(keys).flatMap(([name, arn = '']) => {
    const itsRegion = keyArnPattern.exec(arn)?.[1];
    return itsRegion === undefined || itsRegion === region
      ? []
      : [`${name} is ${arn}, a key of ${itsRegion}, but the stack is for ${region}`];
  });
  if (problems.length === 0) return;
  throw new UserError(`${problems.join('; ')}. Use a key in ${region}, or set AWS_REGION to the key’s Region.`);
}
