import type { Authority } from '../../helpers/servers/certificates.ts';
import type { Claims } from './claims.ts';
import type { MasterUser } from './master-user.ts';

/** Host names that RDS gives. */
export type Endpoints =
  | { kind: 'instance'; endpoint: string }
  /** A Multi-AZ DB cluster. `members` holds the endpoints of the members, by identifier. The first member is the writer. */
  | { kind: 'cluster'; writer: string; reader: string; members: Record<string, string> };

export interface DatabaseRequest extends MasterUser {
  /** DBInstanceIdentifier or DBClusterIdentifier. */
  identifier: string;
  endpoints: Endpoints;
  /** @default 5432 */
  port?: number;
  /** Authority that signs the certificates. */
  authority: Authority;
  /**
   * Folder of all databases. Each of them makes a folder of its own in it. The server user must be able to pass through.
   */
  folder: string;
  /** File that is mounted on /etc/hosts. */
  hostsFile: string;
  /** Returns an address of the loopback interface that nothing else uses. */
  nextAddress: () => string;
  /** Data folder that was copied from another database, from which this one is restored; by default it is new. */
  restoredFrom?: string | undefined;
  /** Server settings besides ours, such as `track_wal_io_timing`. */
  settings?: Record<string, string>;
  /** What the servers say of themselves to the master user, although it is not so. @default nothing */
  claims?: Claims;
}
