import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ResultsBucket } from './constructs/results-bucket.ts';

export const resultsStackName = 'pgduet-results';

/**
 * The bucket for the results, which outlives every experiment. Experiment stacks find it through an SSM parameter and
 * import nothing, so that neither kind of stack blocks the other.
 */
export class ResultsStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, { description: 'pgduet: results of all experiments in this Region', ...props });
    const { bucket } = new ResultsBucket(this, 'Results');
    new CfnOutput(this, 'ResultsBucket', { value: bucket.bucketName, description: 'Bucket with the results' });
  }
}
