import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { fakeS3 } from '../../helpers/fakes/fake-s3.ts';
import { pgbenchOutput } from '../../helpers/samples/pgbench-output.ts';
import { sampleResult } from '../../helpers/samples/sample-result.ts';
import { saveSealedSample, unseal } from '../../helpers/samples/sealed-sample.ts';
import { asCommand, command, type Ending, type Provocations } from './endings.ts';

const output = pgbenchOutput({ tps: 100 });

export const results: Provocations = {
  '<file> does not exist. Name a folder that holds result.json, …': () => command(['compare', 'nowhere', 'neither']),
  '<folder> contains no pgduet run: <reason>. …': () => command(['report', 'docs']),
  '<file> is not a result of pgduet. …': () => compareResult(() => '{"kind":"recipe","schemaVersion":1}'),
  '<file> is not JSON (<reason>). …': () => compareResult((text) => text.slice(0, 1000)),
  '<file> has <number> MiB, and <words> has no more than <number>. …': () =>
    compareResult((text) => `${text}${' '.repeat(64 * 2 ** 20)}`),
  '<file> is damaged:': () => compareResult((text) => text.replace('"complete":', '"compleat":')),
  '<file> has schemaVersion <number>, written by pgduet <version>; this one reads <number>. …': () =>
    compareResult((text) => text.replace(/"schemaVersion": *\d+/, '"schemaVersion":99')),
  '<file> was changed: this contradicts SHA256SUMS. …': () =>
    reportSealed((folder) => appendFileSync(path.join(folder, 'result.json'), ' ')),
  '<file> is missing: this contradicts SHA256SUMS. …': () =>
    reportSealed((folder) => {
      rmSync(path.join(folder, 'result.json'));
      rmSync(path.join(folder, 'trials/block-01-1-without-log-volume'), { recursive: true });
    }),
  '<file> was added, or its line was removed from SHA256SUMS: this contradicts SHA256SUMS. …': () =>
    reportSealed((folder) => {
      rmSync(path.join(folder, 'result.json'));
      unseal(folder, 'run.json');
    }),
  '<file>:<line> is damaged: "<text>"; expected a SHA-256, …': () =>
    reportSealed((folder) => appendFileSync(path.join(folder, 'SHA256SUMS'), 'x')),
  '<name> and <name> have no variant in common. …': async () => {
    const folder = temporaryFolder();
    await save(folder, 'a', { one: 1, two: 1 });
    await save(folder, 'b', { three: 1, four: 1 });
    return command(['compare', 'a', 'b'], folder);
  },
  '<name> has no variant <variant>. …': async () => {
    const folder = temporaryFolder();
    await save(folder, 'a', { one: 1, two: 1 });
    return command(['compare', 'a#three', 'a#one'], folder);
  },
  '--metric <name>: cannot be the deciding metric. …': () =>
    compareOutputs({ 'a.log': output, 'b.log': output }, 'a.log', 'b.log', '--metric', 'speed'),
  '--paired: <name> has <number> runs, but <name> has <number>. …': () =>
    compareOutputs({ 'a.log': output, 'b.log': output }, 'a.log,b.log', 'a.log', '--paired'),
  '<file> contains an incomplete run: <reasons>. …': () =>
    compareOutputs({ 'a.log': output, 'b.log': pgbenchOutput({ tps: 100, processed: 7 }) }, 'a.log', 'b.log'),
  '<file>: the file is empty; expected the output of a pgbench run.': () => inFolder({ 'a.log': '' }, 'parse', 'a.log'),
  'No transactions found: <reasons>. …': () => inFolder({ 'pgbench_log.1': '' }, 'digest', 'pgbench_log.1'),
  '<file>:<line> is "<text>"; expected "<fields>", …': () =>
    inFolder({ 'pgbench_log.1': '0 1 2040 0 1700000000 1\nhello\n' }, 'digest', 'pgbench_log.1'),
  '<address> contains no result. …': () =>
    asCommand(() => openAddress(bucketReader(fakeS3().client), 's3://results/dlv/')),
  '<address> is not a folder in a bucket. …': () => command(['report', 's3://results']),
  '<address> contains . or .., …': () => command(['report', 's3://results/dlv/../../etc/']),
};

/** Writes files into a new folder, and carries out a command there. */
function inFolder(files: Record<string, string>, ...words: string[]): Promise<Ending> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return command(words, folder);
}

/** Makes the report of a sealed run that was changed. */
async function reportSealed(change: (folder: string) => void): Promise<Ending> {
  const folder = temporaryFolder();
  await saveSealedSample(folder, { blocks: 1, trialSeconds: 5 });
  change(folder);
  return command(['report', '.'], folder);
}

function compareOutputs(files: Record<string, string>, ...words: string[]): Promise<Ending> {
  return inFolder(files, 'compare', ...words);
}

async function save(folder: string, name: string, variants: Record<string, number>, change = (text: string) => text) {
  mkdirSync(path.join(folder, name));
  const text = JSON.stringify(await sampleResult({ blocks: 6, variants }));
  writeFileSync(path.join(folder, name, 'result.json'), change(text));
}

/** Compares the variants of a result that was changed. */
async function compareResult(change: (text: string) => string): Promise<Ending> {
  const folder = temporaryFolder();
  await save(folder, 'a', { one: 1, two: 1 }, change);
  return command(['compare', 'a#one', 'a#two'], folder);
}
