/** RDS allows 63 characters for a snapshot of a cluster; the names of instances' snapshots may be longer. */
const mostCharacters = 63;
/** Longest owner, and a time such as `20261121-064459`. */
const [ownerCharacters, timeCharacters] = [12, 15];

/**
 * What the names of all snapshots of an experiment's data begin with, such as `pgduet-dlv-pgbench-alice-`. Long names of
 * experiments are cut off.
 *
 * @param owner up to 12 characters; may be a CDK token
 */
export function snapshotNamePrefix(experiment: string, owner: string): string {
  const most = mostCharacters - ownerCharacters - timeCharacters - 'pgduet---'.length;
  return `pgduet-${experiment.slice(0, most).replace(/-$/, '')}-${owner}-`;
}

/** @param startedAt start of the run: a run that is resumed finds the snapshot that it began */
export function snapshotName(experiment: string, owner: string, startedAt: Date): string {
  const [day = '', time = ''] = startedAt.toISOString().replace(/[-:]/g, '').slice(0, timeCharacters).split('T');
  return `${snapshotNamePrefix(experiment, owner)}${day}-${time}`;
}
