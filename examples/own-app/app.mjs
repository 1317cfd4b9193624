// An app of your own, with an experiment in a VPC and with a bucket for results that you have already.
import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Experiment } from 'pgduet';

const app = new App();
const stack = new Stack(app, 'LogVolumeStudy', { env: { region: 'us-east-1' } });

// By attributes, so that the app needs no credentials. Vpc.fromLookup and the constructs of your app do as well.
const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
  vpcId: 'vpc-0123456789abcdef0',
  availabilityZones: ['us-east-1a', 'us-east-1b'],
  privateSubnetIds: ['subnet-0000000000000000a', 'subnet-0000000000000000b'],
  privateSubnetRouteTableIds: ['rtb-0000000000000000a', 'rtb-0000000000000000b'],
  isolatedSubnetIds: ['subnet-0000000000000000c', 'subnet-0000000000000000d'],
  isolatedSubnetRouteTableIds: ['rtb-0000000000000000c', 'rtb-0000000000000000d'],
});

new Experiment(stack, 'Dlv', {
  experiment: 'dlv-pgbench',
  profile: 'smoke',
  owner: 'alice',
  // The whole stack deletes itself: it holds nothing else. Another one would have { kind: 'never', reason: '…' }.
  expiry: { kind: 'after', hours: 3 },
  vpc,
  resultsBucket: Bucket.fromBucketName(stack, 'Results', 'my-results'),
});
