import { readFileSync } from 'node:fs';

const body = readFileSync(new URL('../driver/user-data.sh', import.meta.url), 'utf8');

export interface UserDataValues {
  readonly region: string;
  /** Name of the SSM parameter that holds the binding. */
  readonly bindingParameter: string;
  /** Presigned address that takes the signal of the wait condition. */
  readonly waitUrl: string;
  /** Packages of Amazon Linux 2023. */
  readonly packages: readonly string[];
}

/**
 * The script that cloud-init runs once, at the first boot of the driver. It depends on nothing that another deploy
 * changes: no asset hash, no version of pgduet.
 */
export function userData({ region, bindingParameter, waitUrl, packages }: UserDataValues): string {
  return [
    '#!/bin/bash',
    `readonly region='${region}'`,
    `readonly parameter='${bindingParameter}'`,
    `readonly wait_url='${waitUrl}'`,
    `readonly packages=(${packages.join(' ')})`,
    '',
    body,
  ].join('\n');
}

/** Majors of PostgreSQL whose clients Amazon Linux 2023 has. */
const packagedMajors = { oldest: 15, newest: 18 };

/**
 * pgbench of the variants' own major, as the published studies had it; a client may be newer than the server, never older.
 *
 * @param serverMajors majors of all variants
 */
export function driverPackages(serverMajors: readonly number[]): string[] {
  const major = Math.min(Math.max(packagedMajors.oldest, ...serverMajors), packagedMajors.newest);
  return ['jq', 'nodejs22', `postgresql${major}`, `postgresql${major}-contrib`, 'unzip'];
}
