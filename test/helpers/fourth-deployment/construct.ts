import { CfnDBInstance } from 'aws-cdk-lib/aws-rds';
import { clusterVariant } from '../../../lib/constructs/cluster-variant.ts';
import type { constructs } from '../../../lib/constructs/every-construct.ts';

export const sharedVolumeConstructs: (typeof constructs)[string] = {
  make(scope, id, props) {
    const cluster = clusterVariant(scope, id, props);
    const writer = new CfnDBInstance(cluster, 'Writer', {
      dbClusterIdentifier: cluster.ref,
      dbInstanceIdentifier: `${props.identifier}-writer`,
      dbInstanceClass: props.variant.class,
    });
    writer.applyRemovalPolicy(props.removalPolicy);
    return cluster;
  },
  nameOf: (group) => group.bindToCluster({}).parameterGroupName,
};
