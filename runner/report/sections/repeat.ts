import path from 'node:path';
import { html } from '../media/markup.ts';
import { escape } from '../media/markdown-text.ts';
import type { Part, Section } from './section.ts';
import { formatDecimal, quantity } from '../../contract/format.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { placeNamed } from '../../places/registry.ts';
import type { KeptRun } from '../../storage/kept-run.ts';
import { comparedWith, everythingAgrees, hashTerms } from '../verification-words.ts';
import { machineWords } from './method.ts';

/** How to repeat and verify the run, with the files that it was made from. */
export const repeatSection: Section = {
  id: 'repeating',
  blocks: ({ result, kept, isUnderWay }) => {
    const { inputs } = kept;
    return [
      {
        title: 'Reproduce this run',
        summary: 'same trial order, and how to verify it',
        parts: isUnderWay
          ? []
          : [{ kind: 'terms', terms: repeatTerms(result, kept) }, ...(inputs.length > 0 ? filesOf(inputs) : [])],
      },
    ];
  },
};

function filesOf(inputs: KeptRun['inputs']): Part[] {
  const inputWords = ({ bytes, why, sha256 }: KeptRun['inputs'][number]): string =>
    `${bytes === null ? `${why};` : `${quantity(bytes.length, 'bytes')},`} SHA-256 ${sha256}`;
  return [
    { kind: 'paragraph', text: 'Input files:' },
    {
      kind: 'own',
      terminal: () => [],
      markdown: () => [inputs.map((one) => `- ${escape(`${one.name} (${inputWords(one)})`)}`).join('\n')],
      page: () =>
        html`<ul>
          ${inputs.map((one) => html`<li>${one.bytes === null ? one.name : download(one.name, one.bytes)} (${inputWords(one)})</li>`)}
        </ul>`,
    },
  ];
}

/** The file itself is in the link: it is saved without asking anybody, also where the page was sent alone. */
function download(name: string, bytes: Uint8Array) {
  const content = Buffer.from(bytes).toString('base64');
  return html`<a download="${path.posix.basename(name)}" href="data:text/plain;charset=utf-8;base64,${content}"
    >${name}</a
  >`;
}

/** How to measure the same once more. It works where pgduet was started: it names the run as seen from there. */
export function repeatCommand({ experiment: { name, profile, seed }, place }: Result, { location }: KeptRun): string {
  return placeNamed(place.kind).isDeployed
    ? `npx cdk deploy -c experiment=${shellWord(name)} -c profile=${shellWord(profile)}`
    : `${loadRunHere(location, whereOf(place))} --seed ${seed}`;
}

/** How to measure what is left of a run that was cut off, in the same place. */
export function resumeCommand({ place }: Result, { location }: KeptRun): string {
  return `${loadRunHere(location, whereOf(place))} --resume`;
}

/** What every command of a run begins with that is not deployed. Existing servers are not of this machine: the experiment names them. */
export function loadRunHere(
  location: string,
  { isFound = false, allowActivity = false }: { isFound?: boolean; allowActivity?: boolean | undefined },
): string {
  return `${ownCommand} load-run ${shellWord(location)}${isFound ? '' : ' --local'}${allowActivity ? ' --allow-activity' : ''}`;
}

function whereOf({ kind, allowActivity }: Result['place']): Parameters<typeof loadRunHere>[1] {
  const { isFound = false } = placeNamed(kind);
  return { isFound, allowActivity };
}

/** How to check the run, in the same place. */
export function verifyCommand({ location }: KeptRun): string {
  return `${ownCommand} verify ${shellWord(location)}`;
}

/** @param kept what the folder of the run has */
export function repeatTerms(result: Result, kept: KeptRun): [term: string, words: string][] {
  const { experiment, place, variants, toolVersion, machine } = result;
  const versions = [...new Set(variants.flatMap(({ serverVersion }) => serverVersion ?? []))];
  const elsewhere = notKept(result, kept.inputs);
  const terms: [term: string, words: string][] = [
    [
      'Run again',
      `${repeatCommand(result, kept)} (where pgduet was started; inputs/ in this run’s folder contains the experiment and all scripts)`,
    ],
    ...(placeNamed(place.kind).isDeployed || elsewhere.length > 0 ? [] : fromFiles(result, kept.inputs)),
    ['Keep', elsewhere.length > 0 ? `${elsewhere.join(', ')}: not in this run’s folder` : ''],
    ['Order', `same trial order, seed ${experiment.seed}`],
    ['Versions', `pgduet ${toolVersion}${versions.length > 0 ? `, PostgreSQL ${versions.join(' and ')}` : ''}`],
    ['Machine', machine ? machineWords(machine) : ''],
    ['Volumes', volumeWords(place.volumes)],
    ['Verify', verifyWords(verifyCommand(kept), result)],
    ...hashTerms(kept.hashes).map(([what, sha256]): [string, string] => [`SHA-256 of ${what}`, sha256]),
  ];
  return terms.filter(([, words]) => words !== '');
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
function fromFiles({ experiment, place }: Result, inputs: KeptRun['inputs']): [term: string, words: string][] {
  const { file, profile, seed } = experiment;
  const own = inputs.find(({ name }) => name === file);
  if (!own || inputs.some(({ bytes }) => bytes === null)) return [];
  const load = loadRunHere(`./${path.posix.basename(own.name)}`, whereOf(place));
  const command = `${load} --profile ${shellWord(profile)} --seed ${seed}`;
  const places = inputs.filter((one) => one !== own).map(({ named }) => named);
  const beside = places.length === 0 ? '' : `, with ${places.join(', ')} at the same relative paths`;
  return [['From the files below', `${command} (where the experiment file below is saved${beside})`]];
}

/** What each volume of limited IOPS was measured to allow before the trials. */
function volumeWords(volumes: Result['place']['volumes']): string {
  const words = volumes.map(({ volume, requestedIops, writeBytes, measuredIops }) => {
    const measured = Object.entries(measuredIops).map(
      ([depth, iops]) => `${formatDecimal(iops, 0)} at queue depth ${depth}`,
    );
    return `${volume}: limit ${formatDecimal(requestedIops, 0)} writes of ${quantity(writeBytes, 'bytes')} per second, measured ${measured.join(' and ')}`;
  });
  return words.join('; ');
}

function verifyWords(verify: string, { endedAt }: Result): string {
  const { files, trials, result } = comparedWith;
  const resultPhrase = endedAt === null ? '' : `, and result.json with ${result}`;
  return `${verify} compares the files with ${files}, the trials with ${trials}${resultPhrase}. On success, it prints: ${everythingAgrees}`;
}

/** A text as one word of a shell. A name in a result may hold anything, and people copy commands. */
export function shellWord(text: string): string {
  return /^[\w.,/:@%+=-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
