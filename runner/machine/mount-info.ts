export interface Mount {
  path: string;
  /** The device of the mounted file system, as MAJ:MIN. */
  device: string;
  fileSystem: string;
  /** The folder of that file system which is mounted here. */
  root: string;
  /** Options of the file system itself. */
  options: readonly string[];
}

/**
 * Parses /proc/PID/mountinfo, see proc_pid_mountinfo(5): mounts are in the order of mounting, and spaces in paths are
 * \040.
 */
export function parseMountInfo(text: string): Mount[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [before = '', after = ''] = line.split(' - ');
      const [, , device = '', root = '', mountPoint = ''] = before.split(' ');
      const [fileSystem = '', , options = ''] = after.split(' ');
      return { device, path: unescaped(mountPoint), fileSystem, root: unescaped(root), options: options.split(',') };
    });
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
