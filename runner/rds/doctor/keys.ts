import { parameterValue } from '../aws/parameter.ts';
import { resultsBucketParameterName } from '../contract/binding.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { keysOf, requireKeysOf, resultsKeyOf } from '../deploy/keys.ts';
import { restoredSnapshot } from '../deploy/snapshots.ts';
import type { Found } from '../../probes/probe.ts';
import { type Account, type DoctorClients, keyOf } from './account.ts';

/**
 * Compares the key of the bucket for results with the one that the driver may use. Says what pgduet cannot see: the
 * policies of the keys.
 *
 * @throws {UserError} if the driver could not use the bucket
 * @throws {AwsCallError}
 */
export async function checkResultsKey(
  { s3, ssm }: Pick<DoctorClients, 's3' | 'ssm'>,
  experiment: Experiment,
  account: Account,
): Promise<Found<true>> {
  requireKeysOf(account.region, keysOf(experiment));
  const notes = ownKeyNotes(experiment, account.region);
  const bucket = await parameterValue(ssm, resultsBucketParameterName);
  if (bucket === null) return { detail: 'no results bucket yet', value: true, notes };
  const key = await keyOf(s3, bucket, account);
  const allowed = resultsKeyOf(experiment);
  if (key === undefined && allowed !== undefined) {
    notes.push(
      `s3://${bucket} is encrypted with an S3-managed key. For your own key: npx cdk deploy -c stack=results -c resultsKey=${allowed}`,
    );
  }
  if (key !== undefined && key !== allowed) {
    throw new UserError(
      `s3://${bucket} is encrypted with ${key}, but the driver could not use this key. Name it in the experiment file: encryption: { resultsKmsKeyArn: '${key}' }`,
    );
  }
  return {
    detail: key === undefined ? 'encrypted with an S3-managed key' : `encrypted with ${key}`,
    value: true,
    notes,
  };
}

function ownKeyNotes(experiment: Experiment, region: string): string[] {
  const key = experiment.encryption?.kmsKeyArn;
  if (key === undefined) return [];
  const snapshot = restoredSnapshot(experiment);
  return [
    `The policy of ${key} must allow logs.${region}.amazonaws.com to encrypt the PostgreSQL logs (docs/deploying.md, “Your own keys”). pgduet does not read key policies.`,
    ...(snapshot === undefined
      ? []
      : [
          `The databases are restored from ${snapshot}, and keep its key. For another one, copy the snapshot first: aws rds copy-db-snapshot --kms-key-id ${key}`,
        ]),
  ];
}
