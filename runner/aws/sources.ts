import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { PIClient } from '@aws-sdk/client-pi';
import type { RDSClient } from '@aws-sdk/client-rds';
import type { TrialPlacement } from '../contract/trial.ts';

/** What AWS tells about the databases of a deploy, besides what they tell themselves. */
export interface AwsSources {
  cloudWatch: CloudWatchClient;
  logs: CloudWatchLogsClient;
  insights: PIClient;
  rds: RDSClient;
  /**
   * The instances of the server on which a trial ran, the one that took the load first; empty if there is none any more.
   *
   * @throws {AwsCallError}
   */
  instancesOf(trial: TrialPlacement): Promise<readonly ObservedInstance[]>;
}

/** One instance of RDS: that of a server, or a member of its Multi-AZ DB cluster. */
export interface ObservedInstance {
  /** `only`; in a cluster `writer`, `reader1`, `reader2`, as it is now. */
  role: string;
  /** DBInstanceIdentifier. */
  identifier: string;
  /** DbiResourceId, by which Database Insights and Enhanced Monitoring know it; null if RDS does not say. */
  resourceId: string | null;
  /** Whether Database Insights (once Performance Insights) is switched on. */
  insights: boolean;
  /** Interval of Enhanced Monitoring, in seconds; 0 if it is off. */
  monitoringIntervalSeconds: number;
  /** Whether it had a dedicated log volume in the trial. */
  dedicatedLogVolume: boolean;
}

/** Whether an instance is the one that took the load. */
export function tookTheLoad({ role }: Pick<ObservedInstance, 'role'>): boolean {
  return role === 'only' || role === 'writer';
}
