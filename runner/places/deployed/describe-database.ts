import type { RDSClient } from '@aws-sdk/client-rds';
import type { ServerBinding } from '../../contract/binding.ts';
import type { DatabaseState } from './database-state.ts';
import { describeCluster } from './describe-cluster.ts';
import { describeInstance } from './describe-instance.ts';

/**
 * @returns null if there is no such database
 * @throws {AwsCallError}
 */
export function describeDatabase(rds: RDSClient, binding: ServerBinding): Promise<DatabaseState | null> {
  const describe = binding.kind === 'cluster' ? describeCluster : describeInstance;
  return describe(rds, binding.identifier);
}
