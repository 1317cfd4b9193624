import { readFileSync } from 'node:fs';

const body = readFileSync(new URL('../driver/user-data.sh', import.meta.url), 'utf8');

/** What the boot itself and the runner need, in addition to the load generator. */
const ownPackages = ['jq', 'nodejs22', 'unzip'];
const ownPrograms = ['node', 'jq', 'unzip'];

export interface UserDataValues {
  readonly region: string;
  /** Name of the SSM parameter that holds the binding. */
  readonly bindingParameter: string;
  /** Presigned address that receives the signal that packages, binding and assets are there. */
  readonly bootUrl: string;
  /** Presigned address that receives the signal that the run has begun. */
  readonly waitUrl: string;
  /** Packages of Amazon Linux 2023 that the load generator needs. */
  readonly packages: readonly string[];
  /** Programs that must exist after these packages are installed. */
  readonly programs: readonly string[];
}

/**
 * The script that cloud-init runs once, at the first boot of the driver. It depends on nothing that another deploy
 * changes: no asset hash, no version of pgduet.
 */
export function userData({ region, bindingParameter, bootUrl, waitUrl, packages, programs }: UserDataValues): string {
  return [
    '#!/bin/bash',
    `readonly region=${quoted(region)}`,
    `readonly parameter=${quoted(bindingParameter)}`,
    `readonly boot_url=${quoted(bootUrl)}`,
    `readonly wait_url=${quoted(waitUrl)}`,
    `readonly packages=(${[...ownPackages, ...packages].sort().map(word).join(' ')})`,
    `readonly programs=(${[...ownPrograms, ...programs].map(word).join(' ')})`,
    '',
    body,
  ].join('\n');
}

/** The text as one word of the shell, whatever it contains. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function word(text: string): string {
  return /^[\w.+-]+$/.test(text) ? text : quoted(text);
}
