import path from 'node:path';
import { isPair, isScalar, parseDocument, visit } from 'yaml';
import { UserError } from '../../contract/errors.ts';
import { experimentsFolder, findExperiment, nameOfFile } from '../../experiment/file/find.ts';
import { foldersProfile } from '../../experiment/file/load.ts';
import { ExperimentSource } from '../../experiment/file/source.ts';
import { exists, isFile } from '../../files/look.ts';
import { readersOf, whyNoInput } from '../../files/named-input.ts';
import { ownFile } from '../../files/own-files.ts';
import { readFileWhole } from '../../files/read.ts';
import type { Readers } from '../../files/write.ts';

/** Files to write, by their paths relative to the working folder. */
export type Files = Readonly<Record<string, NewFile>>;

export interface NewFile {
  content: string | Buffer;
  /** Absolute path of the file that it is a copy of. */
  copiedFrom?: string;
  /** @default everybody */
  readers?: Readers;
}

/**
 * An experiment under a new name, first its YAML file. Files that it names in a folder of its own name come with it, into a
 * folder of the new name. Of a file that not everybody may read, the copy is for its user alone.
 *
 * @throws {UserError} if one of them is a link to a file elsewhere that not everybody may read
 */
export function copyOf(nameOrPath: string, name: string, workingFolder: string): Files {
  const { file } = findExperiment(nameOrPath, workingFolder);
  const template = nameOfFile(file);
  const isNamed = (one: string): boolean =>
    path.normalize(one).startsWith(`${template}/`) && isFile(path.join(path.dirname(file), one));
  const read = (one: string): NewFile & { content: Buffer } => {
    const why = whyNoInput(one, { file, workingFolder: path.dirname(file), named: [] });
    if (why !== null) throw new UserError(`${nameOrPath} comes from ${one}, which ${why}.`);
    return { content: readFileWhole(one), copiedFrom: one, readers: readersOf(one, path.dirname(file)) };
  };
  const own = read(file);
  const written = own.content.toString('utf8');
  // It refuses what is far larger than any experiment.
  new ExperimentSource(written, nameOrPath);
  const text = withSchema(written, workingFolder);
  const scalars = scalarsIn(text);
  const named = scalars.filter(({ value }) => isNamed(value));
  const beside = [...new Set(named.map(({ value }) => path.normalize(value)))];
  const renamed = (one: string): string => one.replace(`${template}/`, `${name}/`);
  const edits = [
    ...named.map(({ from, until }) => ({ from, until, text: renamed(text.slice(from, until)) })),
    ...scalars.flatMap((scalar) => renameEdits(scalar, name, text)),
  ];
  return {
    [path.join(experimentsFolder, `${name}.yaml`)]: {
      ...own,
      content: name === template ? text : withoutFolders(withNames(edited(text, edits), comments, beside, renamed)),
    },
    ...Object.fromEntries(
      beside.map((one) => {
        const { content, ...copied } = read(path.join(path.dirname(file), one));
        const isScript = name !== template && one.endsWith('.sql');
        // Latin-1 keeps every byte, whatever the encoding is.
        const script = () =>
          Buffer.from(withNames(content.toString('latin1'), commandsOfPsql, beside, renamed), 'latin1');
        return [path.join(experimentsFolder, renamed(one)), { ...copied, content: isScript ? script() : content }];
      }),
    ),
  };
}

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

/**
 * The name, and questions that are left to be written: the old ones would head another experiment's report. A text over
 * several lines ends with its line.
 */
function renameEdits({ key, isAtTop, from, until }: Scalar, name: string, text: string): Edit[] {
  if (key === 'name' && isAtTop) return [{ from, until, text: name }];
  if (key !== 'question') return [];
  const end = text.slice(from, until).endsWith('\n') ? '\n' : '';
  return [{ from, until, text: `What should ${name} answer? Write it here.${end}` }];
}

/** The new experiment does not ask another question where volumes cannot be limited. */
function withoutFolders(text: string): string {
  const document = parseDocument(text);
  const foldersPath = ['profiles', foldersProfile];
  // deleteIn throws if the file has no profiles at all, and toString if it has errors: those are for `plan` to name.
  if (document.errors.length > 0 || !document.hasIn(foldersPath)) return text;
  document.deleteIn(foldersPath);
  return document.toString({ lineWidth: 0 });
}

const schemaName = 'experiment.schema.json';

/** An experiment in the folder of the user's own, where editors must find its JSON schema. */
export function withSchema(text: string, workingFolder: string): string {
  if (exists(path.join(workingFolder, experimentsFolder, schemaName))) return text;
  const schema = path.join('..', packageFolder(workingFolder), experimentsFolder, schemaName);
  return text.replace(/^(# yaml-language-server: \$schema=).*$/m, `$1${schema}`);
}

/** Where pgduet is, relative to the working folder: a path that stays when another version is installed. */
export function packageFolder(workingFolder: string): string {
  const installed = 'node_modules/pgduet';
  return exists(path.join(workingFolder, installed)) ? installed : path.relative(workingFolder, ownFile()) || '.';
}
