import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * Makes a name resolve to one address, as a change in DNS would. The file is changed in place, since exactly this file is
 * mounted on /etc/hosts. It is never empty in between, since others resolve names at the same time.
 */
export function pointName(hostsFile: string, name: string, address: string): void {
  const others = readFileSync(hostsFile, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => !line.split(/\s+/).slice(1).includes(name));
  const text = Buffer.from(`${[...others, `${address} ${name}`].join('\n')}\n`);
  const file = openSync(hostsFile, 'r+');
  try {
    writeSync(file, text, 0, text.length, 0);
    ftruncateSync(file, text.length);
  } finally {
    closeSync(file);
  }
}
