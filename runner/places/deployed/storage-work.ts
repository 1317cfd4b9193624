import type { RDSClient } from '@aws-sdk/client-rds';
import type { ServerBinding } from '../../contract/binding.ts';
import { describeDatabase } from './describe-database.ts';
import { storageWork } from './judge-database.ts';

/**
 * What RDS does to the volumes of a database now; empty if nothing.
 *
 * @throws {AwsCallError}
 */
export async function describeStorageWork(rds: RDSClient, server: ServerBinding): Promise<string[]> {
  const state = await describeDatabase(rds, server);
  return state ? storageWork(state) : [];
}
