/** Something that whoever runs the server says happened to it while a trial ran, such as an event of RDS. */
export interface TrialEvent {
  /** ISO 8601, UTC. */
  at: string;
  kind: 'backup' | 'failover' | 'maintenance' | 'restart' | 'storage' | 'credits' | 'other';
  /** In the words of the source. */
  text: string;
}
