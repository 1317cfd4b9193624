import path from 'node:path';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { placeNamed } from '../../places/registry.ts';
import type { KeptRun } from '../../storage/kept-run.ts';
import { comparedWith, everythingAgrees, hashTerms } from '../words/verification-words.ts';
import { machineWords } from './protocol-words.ts';
import { formatDecimal, quantity } from '../../contract/format.ts';

/** How to measure the same once more, and how to check what was measured. */
export interface RepeatView {
  /** Works where pgduet was started: it names the run as seen from there. */
  command: string;
  /** How to check the run, in the same place. */
  verify: string;
  terms: [term: string, words: string][];
  files: RepeatFile[];
}

/** A file that the run was made from. */
export interface RepeatFile {
  /** In the folder of the run. */
  name: string;
  /** What the page hands on; null if it names the file alone. */
  bytes: Uint8Array | null;
  /** Such as `3.6 KiB, SHA-256 f00…`, or why the page does not hand it on. */
  words: string;
}

/** @param kept what the folder of the run has */
export function viewRepeat(result: Result, { location, hashes, inputs }: KeptRun): RepeatView {
  const { experiment, place, variants, toolVersion, machine } = result;
  const { name, profile, seed } = experiment;
  const versions = [...new Set(variants.flatMap(({ serverVersion }) => serverVersion ?? []))];
  const { isDeployed } = placeNamed(place.kind);
  const command = isDeployed
    ? `npx cdk deploy -c experiment=${shellWord(name)} -c profile=${shellWord(profile)}`
    : `${ownCommand} load-run ${shellWord(location)} --local --seed ${seed}`;
  const verify = `${ownCommand} verify ${shellWord(location)}`;
  const elsewhere = notKept(result, inputs);
  return {
    command,
    verify,
    files: inputs.map(({ name: file, sha256, bytes, why }) => ({
      name: file,
      bytes,
      words: bytes === null ? `${why}; SHA-256 ${sha256}` : `${quantity(bytes.length, 'bytes')}, SHA-256 ${sha256}`,
    })),
    terms: [
      [
        'Once more',
        `${command} (where pgduet was started; inputs/ in the folder of this run holds its experiment and every script)`,
      ],
      ...(isDeployed || elsewhere.length > 0 ? [] : fromFiles(result, inputs)),
      ...(elsewhere.length > 0
        ? [
            ['Keep', `${elsewhere.join(', ')}, which the folder of this run does not contain`] satisfies [
              string,
              string,
            ],
          ]
        : []),
      ['Order', `the same order of trials: seed ${seed}`],
      ['Versions', `pgduet ${toolVersion}${versions.length > 0 ? `, PostgreSQL ${versions.join(' and ')}` : ''}`],
      ...(machine ? [['Machine', machineWords(machine)] satisfies [string, string]] : []),
      ...volumeTerms(place.volumes),
      ['Verify', verifyWords(verify, result)],
      ...hashTerms(hashes).map(([what, sha256]): [string, string] => [`SHA-256 of ${what}`, sha256]),
    ],
  };
}

/** Files that a repeat reads where they are, as the experiment names them, each with its SHA-256: a large dump, or an absolute path. */
function notKept({ tool }: Result, inputs: KeptRun['inputs']): string[] {
  // Of some runs, nothing says what their folder contains.
  if (inputs.length === 0) return [];
  const kept = new Set(inputs.map(({ named }) => named));
  return Object.entries(tool?.files ?? {}).flatMap(([name, sha256]) =>
    kept.has(path.posix.normalize(name)) ? [] : [`${name} (SHA-256 ${sha256})`],
  );
}

/** Without the folder of the run, from the files that the page hands on. */
function fromFiles({ experiment }: Result, inputs: KeptRun['inputs']): [term: string, words: string][] {
  const { file, profile, seed } = experiment;
  const own = inputs.find(({ name }) => name === file);
  if (!own || inputs.some(({ bytes }) => bytes === null)) return [];
  const load = `${ownCommand} load-run ./${shellWord(path.posix.basename(own.name))} --local --profile ${shellWord(profile)}`;
  const command = `${load} --seed ${seed}`;
  const places = inputs.filter((one) => one !== own).map(({ named }) => named);
  const beside = places.length === 0 ? '' : `, with ${places.join(', ')} from there at these places beside it`;
  return [['Without that folder', `${command} (where the experiment file below is saved${beside})`]];
}

/** What each volume of limited IOPS was measured to allow before the trials. */
function volumeTerms(volumes: Result['place']['volumes']): [term: string, words: string][] {
  if (volumes.length === 0) return [];
  const words = volumes.map(({ volume, requestedIops, writeBytes, measuredIops }) => {
    const measured = Object.entries(measuredIops).map(
      ([depth, iops]) => `${formatDecimal(iops, 0)} at queue depth ${depth}`,
    );
    return `${volume} allows ${formatDecimal(requestedIops, 0)} writes of ${quantity(writeBytes, 'bytes')} a second, measured ${measured.join(' and ')}`;
  });
  return [['Volumes', words.join('; ')]];
}

function verifyWords(verify: string, { endedAt }: Result): string {
  const { files, trials, result } = comparedWith;
  const resultPhrase = endedAt === null ? '' : `, and result.json with ${result}`;
  return `${verify} compares the files with ${files}, the trials with ${trials}${resultPhrase}. If nothing contradicts anything, it ends with: ${everythingAgrees}`;
}

/** A text as one word of a shell. A name in a result may hold anything, and people copy commands. */
export function shellWord(text: string): string {
  return /^[\w.,/:@%+=-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
