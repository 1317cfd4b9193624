import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { PIClient } from '@aws-sdk/client-pi';
import type { RDSClient } from '@aws-sdk/client-rds';
import type { TrialPlacement } from '../../contract/trial.ts';
import type { PlaceSources } from '../../collect/collector.ts';

/** What AWS reports about the databases of a deploy, in addition to what the databases report. */
export interface AwsSources extends PlaceSources, SourceClients {
  /**
   * The instances of the server on which a trial ran, beginning with the one that took the load; empty if none exists
   * any more.
   *
   * @throws {AwsCallError}
   */
  instancesOf(trial: TrialPlacement): Promise<readonly ObservedInstance[]>;
}

/** Clients of the services that are asked. */
export interface SourceClients {
  cloudWatch: CloudWatchClient;
  logs: CloudWatchLogsClient;
  insights: PIClient;
  rds: RDSClient;
}

/** One RDS instance: that of a server, or a member of its Multi-AZ DB cluster. */
export interface ObservedInstance {
  /** `only`; in a cluster, its current role: `writer`, `reader1` or `reader2`. */
  role: string;
  /** DBInstanceIdentifier. */
  identifier: string;
  /** DbiResourceId, by which Database Insights and Enhanced Monitoring know it; null if RDS does not report it. */
  resourceId: string | null;
  /** Whether Database Insights (formerly Performance Insights) is switched on. */
  insights: boolean;
  /** Interval of Enhanced Monitoring, in seconds; 0 if it is off. */
  monitoringIntervalSeconds: number;
  /** Whether it had a dedicated log volume in the trial. */
  hasLogVolume: boolean;
  /** Whether an RDS Proxy of the same name is before it. @default false */
  hasProxy?: boolean;
}

/** Whether an instance is the one that took the load. */
export function tookTheLoad({ role }: Pick<ObservedInstance, 'role'>): boolean {
  return role === 'only' || role === 'writer';
}

/** Those of a run in AWS; undefined if the run is at another place. */
export function sourcesInAws(sources: PlaceSources | undefined): AwsSources | undefined {
  return sources && 'instancesOf' in sources ? (sources as AwsSources) : undefined;
}
