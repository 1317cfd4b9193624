import { readFileSync } from 'node:fs';
import { ownFile } from '../../runner/files/own-files.ts';

/** What is the same for every driver of this version. */
export const userDataBody = readFileSync(ownFile('lib/driver/user-data.sh'), 'utf8');

/** What the boot itself and the runner need, in addition to the load generator. */
const ownPackages = ['jq', 'nodejs22', 'unzip'];
const ownPrograms = ['node', 'jq', 'unzip'];

export interface UserDataValues {
  readonly region: string;
  /** Name of the SSM parameter that holds the binding. */
  readonly bindingParameter: string;
  /** Name of the SSM parameter that says that the databases are there. */
  readonly databasesParameter: string;
  /** Presigned address that receives the signal that packages, binding and assets are there. */
  readonly bootUrl: string;
  /** Presigned address that receives the signal that nothing but the databases is missing. */
  readonly provisionUrl: string;
  /** Presigned address that receives the signal that the databases are made, or why they will not be. */
  readonly creationUrl: string;
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
export function userData(values: UserDataValues): string {
  const { packages, programs } = values;
  return [
    '#!/bin/bash',
    `readonly region=${quoted(values.region)}`,
    `readonly parameter=${quoted(values.bindingParameter)}`,
    '# shellcheck disable=SC2034 # begin.sh uses it',
    `readonly databases_parameter=${quoted(values.databasesParameter)}`,
    `readonly boot_url=${quoted(values.bootUrl)}`,
    `readonly provision_url=${quoted(values.provisionUrl)}`,
    `readonly creation_url=${quoted(values.creationUrl)}`,
    `readonly wait_url=${quoted(values.waitUrl)}`,
    `readonly packages=(${[...ownPackages, ...packages].sort().map(word).join(' ')})`,
    `readonly programs=(${[...ownPrograms, ...programs].map(word).join(' ')})`,
    '',
    userDataBody,
  ].join('\n');
}

/** The text as one word of the shell, whatever it contains. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function word(text: string): string {
  return /^[\w.+-]+$/.test(text) ? text : quoted(text);
}
