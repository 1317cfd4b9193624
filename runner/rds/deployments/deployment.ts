import type { OrderableDBInstanceOption, Parameter, RDSClient } from '@aws-sdk/client-rds';
import type { RuleProblem } from '../../contract/check.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import type { DeployedDatabase } from '../../contract/server-facts.ts';
import type { DeployableStorage } from './storage.ts';

/**
 * A way in which RDS deploys a database, and everything that follows from it. Nothing else asks which deployment a
 * variant has.
 *
 * It must load quickly, since the experiment loader, the plan and the CDK app import it. `api` loads the client of RDS.
 */
export interface Deployment {
  /** As an experiment names it, such as `multi-az-cluster`. */
  name: string;
  /** As a sentence about a variant names it, such as `a Multi-AZ cluster`. */
  words: string;
  /** What bindings and results call it. By this and `multiAz`, the driver knows which deployment a server has. */
  kind: string;
  multiAz: boolean;
  /** How many zones its instances are in; the subnets must span at least two. */
  zones: number;
  /** null if its one instance has its own identifier. */
  members: Members | null;
  minBackupDays: number;
  /** What is wrong with a variant that is deployed like this. */
  problems: (variant: Partial<Variant>, storage: DeployableStorage) => RuleProblem[];
  /** Whether RDS can deploy an option like this. */
  isOffered: (option: OrderableDBInstanceOption) => boolean;
  /** What a server needs of the account's quotas, by RDS's name of the quota; without its parameter group. */
  quotas: Readonly<Record<string, number>>;
  /** RDS's name of the quota of its parameter groups. */
  parameterGroupQuota: string;
  /** What the price list calls it. */
  priceOption: string;
  /** Types of the resources that a stack has for it. */
  resourceTypes: readonly DatabaseResource[];
  /** Types of what belongs to it in ARNs. */
  arns: { database: string; parameterGroup: string; snapshot: string };
  /** What RDS calls what is done with its snapshots, as in a policy. */
  actions: { createSnapshot: string; describeSnapshots: string; restore: string };
  /** Whether its deletion names a last snapshot even where it makes none. */
  namesLastSnapshot: boolean;
  /** What the driver calls. */
  calls: readonly DriverCall[];
  /** CloudWatch's log group of its PostgreSQL log. */
  logGroup: (identifier: string) => string;
  api: () => Promise<DatabaseApi>;
}

/** The instances that RDS itself makes of a database. Only the identifier of the whole is ours. */
export interface Members {
  /** Their identifiers. */
  names: (identifier: string) => readonly string[];
  /** The same as a pattern of a policy. */
  pattern: (identifier: string) => string;
}

export type DatabaseResource =
  `AWS::RDS::${'DBCluster' | 'DBClusterParameterGroup' | 'DBInstance' | 'DBParameterGroup'}`;

/** What the driver may do to a database, and why. */
export interface DriverCall {
  action: string;
  on: 'database' | 'instances';
  to: 'examine' | 'apply parameters' | 'fail over' | 'cross over';
}

/** How RDS is asked about databases of one kind. Everything throws an AwsCallError if AWS refuses or does not answer. */
export interface DatabaseApi {
  /** null if there is no such database. */
  describe(rds: RDSClient, identifier: string): Promise<DatabaseState | null>;
  /** Its instances as RDS names them now, the one that takes the load first; empty if there is no such database. */
  members(rds: RDSClient, identifier: string): Promise<{ role: string; identifier: string }[]>;
  /** Asks for a restart of the server. RDS shows it only some seconds later. */
  reboot(rds: RDSClient, identifier: string): Promise<void>;
  /** @param standby as in `DatabaseState.standbys` */
  failOver(rds: RDSClient, identifier: string, standby: string): Promise<void>;
  snapshot: SnapshotApi;
  /** What RDS files its events under, besides its instances. */
  eventSources(identifier: string): readonly EventSource[];
  /** The parameters of a family, such as `postgres16`. */
  defaultParameters(rds: RDSClient, family: string): Promise<Parameter[]>;
}

export interface EventSource {
  SourceType: 'db-instance' | 'db-cluster' | 'db-cluster-snapshot';
  /** Absent for all of the account. */
  SourceIdentifier?: string;
}

export interface SnapshotApi {
  /** As the command line of AWS names it, such as `db-snapshot`. */
  command: string;
  create(rds: RDSClient, identifier: string, snapshot: string, tags: Readonly<Record<string, string>>): Promise<void>;
  /** null, or an AwsCallError, if there is no such snapshot. */
  describe(rds: RDSClient, snapshot: string): Promise<SnapshotState | null>;
}

export interface SnapshotState {
  arn: string | null;
  status: string;
  percent: number;
}

/** The database of one variant, as RDS describes it at one moment. */
export interface DatabaseState {
  database: DeployedDatabase;
  port: number | null;
  /** When it became available, from when AWS bills for it; null while RDS creates it. */
  availableSince: Date | null;
  /** Statuses as RDS writes them, such as `available`. With members, also theirs, each status once. */
  statuses: string[];
  /** Storage operations in progress, each once, such as `storage initializing, 40% done`. */
  storageOperations: string[];
  /** Whether the parameter group is applied, as RDS writes it, such as `in-sync`. */
  parameterStatuses: string[];
  /** Changes that RDS has not made yet, such as `DedicatedLogVolume true`. */
  pending: string[];
  windows: MaintenanceWindows;
  /** Standbys by zone. The value is the identifier of the member, or of the database itself. */
  standbys: ReadonlyMap<string, string>;
}

/** When RDS may work on a database by itself, in UTC, as RDS writes it; null if RDS does not report it. */
export interface MaintenanceWindows {
  /** Daily, such as `03:00-03:30`; null also if there are no automated backups. */
  backup: string | null;
  /** Weekly, such as `sun:05:00-sun:05:30`. */
  maintenance: string | null;
}
