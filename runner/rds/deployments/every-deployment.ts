import type { Deployment } from './deployment.ts';
import { multiAzCluster } from './multi-az-cluster.ts';
import { multiAzInstance } from './multi-az-instance.ts';
import { singleAz } from './single-az.ts';

/** Every deployment there is, with the default first. */
export const deployments: readonly Deployment[] = [singleAz, multiAzInstance, multiAzCluster];
