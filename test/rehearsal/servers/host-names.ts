import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * Makes a name stand for one address, as a change in DNS would. The file is written in place, since what is mounted on
 * /etc/hosts is this very file, and never emptied in between, since others resolve names meanwhile.
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
