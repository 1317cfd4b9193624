import path from 'node:path';
import { isPair, isScalar, parseDocument, visit } from 'yaml';
import * as z from 'zod';
import { makeSafeFolder, removeFile, removeIfEmpty, writeFileIn } from '../../files/write.ts';
import { exists, isFile } from '../../files/look.ts';
import { ownFile } from '../../files/own-files.ts';
import { readFileWhole, readTextWhole } from '../../files/read.ts';
import { experimentsFolder, findExperiment } from '../../experiment/file/find.ts';
import { foldersProfile } from '../../experiment/file/load.ts';
import { UserError } from '../../contract/errors.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';

export interface InitOptions {
  from: string;
  json?: true;
}

export async function init(name: string | undefined, options: InitOptions, io: Io): Promise<void> {
  if (name === undefined) return initRepository(options, io);
  requireName(name);
  const files = copyOf(options.from, name, io.workingFolder);
  const names = Object.keys(files);
  const taken = names.find((one) => exists(path.join(io.workingFolder, one)));
  if (taken !== undefined) throw new UserError(`${taken} already exists. Choose another name, or edit the file.`);
  await writeFiles(files, io.workingFolder);
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ path: path.join(io.workingFolder, names[0] ?? ''), written: names })}\n`
      : `${wrapLines(`Wrote ${names.join(', ')}. Edit ${names.length > 1 ? 'them' : 'it'}, then: npx pgduet plan ${name}`, io.columns)}\n`,
  );
}

function requireName(name: string): void {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return;
  throw new UserError(
    `"${name}" cannot be the name of an experiment. Use lower-case letters, digits and single hyphens.`,
  );
}

/** Contents of files, by their paths relative to the working folder. */
type Files = Readonly<Record<string, string | Buffer>>;

/**
 * An experiment under a new name, first its YAML file. Files that it names in a folder of its own name come with it, into a
 * folder of the new name.
 */
function copyOf(nameOrPath: string, name: string, workingFolder: string): Files {
  const { file } = findExperiment(nameOrPath, workingFolder);
  const template = path.basename(file).replace(yamlEnding, '');
  const isNamed = (one: string): boolean =>
    path.normalize(one).startsWith(`${template}/`) && isFile(path.join(path.dirname(file), one));
  const text = withSchema(readTextWhole(file), workingFolder);
  const scalars = scalarsIn(text);
  const named = scalars.filter(({ value }) => isNamed(value));
  const own = [...new Set(named.map(({ value }) => path.normalize(value)))];
  const renamed = (one: string): string => one.replace(`${template}/`, `${name}/`);
  const edits = [
    ...named.map(({ from, until }) => ({ from, until, text: renamed(text.slice(from, until)) })),
    ...scalars.flatMap((scalar) => ofItsOwn(scalar, name, text)),
  ];
  return {
    [path.join(experimentsFolder, `${name}.yaml`)]:
      name === template ? text : withoutFolders(withNames(edited(text, edits), comments, own, renamed)),
    ...Object.fromEntries(
      own.map((one) => {
        const content = readFileWhole(path.join(path.dirname(file), one));
        const isScript = name !== template && one.endsWith('.sql');
        return [
          path.join(experimentsFolder, renamed(one)),
          // Latin-1 keeps every byte, whatever the encoding is.
          isScript
            ? Buffer.from(withNames(content.toString('latin1'), commandsOfPsql, own, renamed), 'latin1')
            : content,
        ];
      }),
    ),
  };
}

const yamlEnding = /\.ya?ml$/;

/** A scalar of a YAML file that is a text, and where it stands. */
interface Scalar {
  /** Of the keys that lead to it, the last one; null in a list. */
  key: string | null;
  /** Whether no other key leads to it. */
  isAtTop: boolean;
  value: string;
  from: number;
  until: number;
}

function scalarsIn(text: string): Scalar[] {
  const scalars: Scalar[] = [];
  visit(parseDocument(text), {
    Scalar(key, { value, range }, ancestors) {
      if (key === 'key' || typeof value !== 'string' || !range) return;
      const pair = ancestors.at(-1);
      const name = isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : null;
      scalars.push({ key: name, isAtTop: ancestors.length === 3, value, from: range[0], until: range[1] });
    },
  });
  return scalars;
}

interface Edit {
  from: number;
  until: number;
  text: string;
}

function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.from - one.from)
    .reduce((whole, edit) => whole.slice(0, edit.from) + edit.text + whole.slice(edit.until), text);
}

const comments = /#.*$/gm;
/** psql finds files that it is told to read where the experiment names them. */
const commandsOfPsql = /^[^\S\n]*\\(?:copy|i|include|ir|include_relative)\b.*$/gm;

/** The text with the new names of files in these lines. */
function withNames(text: string, lines: RegExp, own: readonly string[], renamed: (name: string) => string): string {
  return text.replaceAll(lines, (line) =>
    line.replaceAll(/[^\s'"(),;:]+/g, (word) => (own.includes(path.normalize(word)) ? renamed(word) : word)),
  );
}

/** All or nothing: the experiment file is written last, and what cannot be completed is taken back. */
async function writeFiles(files: Files, workingFolder: string): Promise<void> {
  const written: string[] = [];
  const made: string[] = [];
  try {
    for (const [name, content] of Object.entries(files).toReversed()) {
      const file = path.join(workingFolder, name);
      made.unshift(...makeSafeFolder(path.dirname(file), 'work in another folder'));
      await writeFileIn(path.dirname(file), path.basename(file), content);
      written.push(file);
    }
  } catch (error) {
    written.forEach(removeFile);
    made.forEach(removeIfEmpty);
    throw error;
  }
}

/**
 * The name, and questions that are left to be written: the old ones would head another experiment's report. A text over
 * several lines ends with its line.
 */
function ofItsOwn({ key, isAtTop, from, until }: Scalar, name: string, text: string): Edit[] {
  if (key === 'name' && isAtTop) return [{ from, until, text: name }];
  if (key !== 'question') return [];
  const end = text.slice(from, until).endsWith('\n') ? '\n' : '';
  return [{ from, until, text: `What should ${name} answer? Write it here.${end}` }];
}

/** The new experiment does not ask another question where volumes cannot be limited. */
function withoutFolders(text: string): string {
  const document = parseDocument(text);
  const ofFolders = ['profiles', foldersProfile];
  // deleteIn throws if the file has no profiles at all, and toString if it has errors: those are for `plan` to name.
  if (document.errors.length > 0 || !document.hasIn(ofFolders)) return text;
  document.deleteIn(ofFolders);
  return document.toString({ lineWidth: 0 });
}

/**
 * `pgduet init` without a name: makes the working folder a repository of experiments, with an app for the CDK and a
 * workflow that checks every experiment. Files that are there stay as they are.
 */
async function initRepository(options: InitOptions, io: Io): Promise<void> {
  const folder = io.workingFolder;
  const first = path.basename(options.from).replace(yamlEnding, '');
  requireName(first);
  const wanted: Files = {
    'cdk.json': cdkJson(folder),
    ...copyOf(options.from, first, folder),
    '.gitignore': ['node_modules/', 'results/', 'cdk.out/', 'dist/', ''].join('\n'),
    '.github/workflows/experiments.yml': workflow,
  };
  const names = Object.keys(wanted);
  const kept = names.filter((name) => exists(path.join(folder, name)));
  const written = names.filter((name) => !kept.includes(name));
  await writeFiles(Object.fromEntries(Object.entries(wanted).filter(([name]) => written.includes(name))), folder);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ written, kept })}\n`);
    return;
  }
  const next = {
    'npx pgduet try --set synchronous_commit=on,off': 'a first answer, without a file',
    [`npx pgduet plan ${first}`]: 'what the experiment would do, and how long it takes',
    [`npx pgduet load-run ${first} --local`]: 'measure on this machine',
    'npx pgduet init mine --from own-data': 'an experiment of your own, with your tables and statements',
    'npm install --save-dev aws-cdk': 'once, before the first deploy; then:',
    'npx cdk synth -c experiment=dlv-pgbench': '',
  };
  const width = Math.max(...Object.keys(next).map((command) => command.length));
  io.stdout.write(
    [
      ...(written.length > 0 ? [`Wrote ${written.join(', ')}.`] : []),
      ...(kept.length > 0 ? [`Kept ${kept.join(', ')}, which you have already.`] : []),
      '',
      'Next:',
      ...Object.entries(next).map(([command, words]) => `  ${command.padEnd(width)}   ${words}`.trimEnd()),
      '',
    ].join('\n'),
  );
}

/** The same feature flags as in pgduet's own: they decide what its stacks consist of. */
function cdkJson(workingFolder: string): string {
  const own = z.record(z.string(), z.unknown()).parse(JSON.parse(readTextWhole(ownFile('cdk.json'))));
  const app = path.join(packageFolder(workingFolder), 'bin/app.mjs');
  return `${JSON.stringify({ ...own, app: `node ${/[^\w./@-]/.test(app) ? JSON.stringify(app) : app}` }, null, 2)}\n`;
}

const schemaName = 'experiment.schema.json';

/** An experiment in the folder of the user's own, where editors must find its JSON schema. */
function withSchema(text: string, workingFolder: string): string {
  if (exists(path.join(workingFolder, experimentsFolder, schemaName))) return text;
  const schema = path.join('..', packageFolder(workingFolder), experimentsFolder, schemaName);
  return text.replace(/^(# yaml-language-server: \$schema=).*$/m, `$1${schema}`);
}

/** Where pgduet is, relative to the working folder: a path that stays when another version is installed. */
function packageFolder(workingFolder: string): string {
  const installed = 'node_modules/pgduet';
  return exists(path.join(workingFolder, installed)) ? installed : path.relative(workingFolder, ownFile()) || '.';
}

/** Needs no secret: prices that are kept, no credentials, and nothing is deployed. */
const workflow = `# Checks every experiment in ${experimentsFolder}/, without credentials: whether it is right, how long it takes and what it
# costs, and whether CloudFormation would take its template.
name: experiments
on: [push, pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24, cache: npm }
      - run: npm ci --ignore-scripts
      - run: pip install cfn-lint==1.51.0
      - name: plan each experiment, and check the template of those that are deployed
        run: |
          for file in ${experimentsFolder}/*.yaml; do
            npx pgduet plan "$file" --prices kept
            if npx pgduet plan "$file" --prices kept --json | jq --exit-status '.costs' >/dev/null; then
              npx pgduet template "$file" --out "dist/templates/$(basename "$file" .yaml)"
            fi
          done
          # What is not checked: dependencies that only repeat others, and lists of versions that are older than RDS.
          # There are no templates if all experiments are for this machine.
          if [ -d dist/templates ]; then
            find dist/templates -name '*.json' ! -name policy.json -exec cfn-lint --ignore-checks W3005 E3690 E3691 -- {} +
          fi
`;
