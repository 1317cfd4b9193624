import { describe, expect, it } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { encryptionSchema } from '../../../runner/contract/experiment/deployment.ts';
import { keysOf, requireKeysOf, resultsKeyOf } from '../../../runner/rds/deploy/keys.ts';

const key = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const other = key.replace('1234abcd', 'ffff0000');

describe('a key of one’s own', () => {
  it.each([key, key.replace('1234abcd', 'mrk-1234abcd'), key.replace('arn:aws:', 'arn:aws-cn:')])(
    'is named by its ARN: %s',
    (kmsKeyArn) => {
      expect(encryptionSchema.parse({ kmsKeyArn })).toEqual({ kmsKeyArn });
    },
  );

  it.each([
    'alias/mine',
    '1234abcd-12ab-34cd-56ef-1234567890ab',
    'arn:aws:kms:us-east-1:123456789012:alias/mine',
    'arn:aws:s3:::bucket',
    `${key}/*`,
  ])('is not %s', (kmsKeyArn) => {
    const { error } = encryptionSchema.safeParse({ kmsKeyArn });
    expect(error?.issues.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the ARN of a KMS key, not of an alias, such as arn:aws:kms:/),
    ]);
  });

  it('of another Region is refused, with its place in the file, and what to do', () => {
    const keys = keysOf({ encryption: { kmsKeyArn: key }, credentials: { kind: 'generated' } });
    expect(() => requireKeysOf('us-east-1', keys)).not.toThrow();
    expect(() => requireKeysOf('eu-west-1', keys)).toThrow(
      new UserError(
        `encryption.kmsKeyArn is ${key}, a key of us-east-1, but the stack is for eu-west-1. Use a key in eu-west-1, or set AWS_REGION to the key’s Region.`,
      ),
    );
  });

  it('encrypts the bucket for results, too, unless that has another', () => {
    expect(resultsKeyOf({})).toBeUndefined();
    expect(resultsKeyOf({ encryption: { kmsKeyArn: key } })).toBe(key);
    expect(resultsKeyOf({ encryption: { kmsKeyArn: key, resultsKmsKeyArn: other } })).toBe(other);
    expect(resultsKeyOf({ encryption: { resultsKmsKeyArn: other } })).toBe(other);
  });
});
