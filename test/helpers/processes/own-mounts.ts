/**
 * Words that carry out a command in a mount namespace of its own. There it has only the volumes below `folder`: it would
 * keep those of other tests in use, which run at the same time.
 */
export function inOwnMounts(folder: string, ...command: string[]): string[] {
  const dropOthers = `for at in $(cut -d ' ' -f 2 /proc/self/mounts); do
    case $at in "$0"/*) ;; /tmp/*pgduet-*) umount --lazy "$at" ;; esac
  done 2>/dev/null
  exec "$@"`;
  return ['unshare', '--mount', 'sh', '-c', dropOthers, folder, ...command];
}
