/** Lets go of the volumes in a dead run's folder; plain folders need no more than the deletion that follows. */
export function releaseVolumes(): Promise<void> {
  return Promise.resolve();
}
