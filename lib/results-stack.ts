import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ResultsBucket } from './constructs/results-bucket.ts';

export const resultsStackName = 'pgduet-results';

export interface ResultsStackProps extends StackProps {
  /**
   * KMS key that encrypts the bucket.
   *
   * @default - a key of S3
   */
  readonly keyArn?: string | undefined;
}

/**
 * The bucket for the results, which outlives every experiment. Experiment stacks find it through an SSM parameter and
 * import nothing, so that neither kind of stack blocks the other.
 */
export class ResultsStack extends Stack {
  constructor(scope: Construct, id: string, props: ResultsStackProps = {}) {
    super(scope, id, { description: 'pgduet: results of all experiments in this Region', ...props });
    const { bucket } = new ResultsBucket(this, 'Results', props.keyArn);
    new CfnOutput(this, 'ResultsBucket', { value: bucket.bucketName, description: 'Bucket with the results' });
  }
}
