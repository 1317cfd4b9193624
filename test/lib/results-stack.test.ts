import { describe, expect, it } from 'vitest';
import { ResultsStack, resultsStackName } from '../../lib/results-stack.ts';
import { masked, synthesize, testApp } from '../helpers/synthesize.ts';

const { json, only } = synthesize(new ResultsStack(testApp(), resultsStackName));

describe('the results stack', () => {
  it('looks as it did', () => {
    expect(masked(json)).toMatchSnapshot();
  });

  it('keeps its bucket when it is destroyed', () => {
    expect(only('AWS::S3::Bucket')).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('closes the bucket to the public and to plain HTTP', () => {
    expect(only('AWS::S3::Bucket').Properties).toMatchObject({
      BucketEncryption: { ServerSideEncryptionConfiguration: [{}] },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      VersioningConfiguration: { Status: 'Enabled' },
    });
    expect(JSON.stringify(only('AWS::S3::BucketPolicy'))).toContain('"aws:SecureTransport":"false"');
  });

  it('tells experiment stacks by a parameter whose name says how to make it, and exports nothing', () => {
    expect(only('AWS::SSM::Parameter').Properties['Name']).toMatch(/npx-cdk-deploy-c-stack-results$/);
    expect(JSON.stringify(json.Outputs)).not.toContain('Export');
  });
});
