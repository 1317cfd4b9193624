import type { Authority } from '../../helpers/servers/certificates.ts';
import type { MasterUser } from './master-user.ts';

/** Names that RDS gives. */
export type Endpoints =
  | { kind: 'instance'; endpoint: string }
  /** A Multi-AZ DB cluster. The first of the members, whose endpoints these are by identifier, is the writer. */
  | { kind: 'cluster'; writer: string; reader: string; members: Record<string, string> };

export interface DatabaseRequest extends MasterUser {
  /** DBInstanceIdentifier or DBClusterIdentifier. */
  identifier: string;
  endpoints: Endpoints;
  /** @default 5432 */
  port?: number;
  /** Signs the certificates. */
  authority: Authority;
  /** Of all databases, each of which makes its own in it; the server user must be able to go there. */
  folder: string;
  /** What is mounted on /etc/hosts. */
  hostsFile: string;
  /** An address of the loopback interface that nothing else has. */
  nextAddress: () => string;
  /** Server settings beside ours, such as `track_wal_io_timing`. */
  settings?: Record<string, string>;
}
