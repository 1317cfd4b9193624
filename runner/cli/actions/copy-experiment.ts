import path from 'node:path';
import { isPair, isScalar, parseDocument, visit } from 'yaml';
import { experimentsFolder, findExperiment, nameOfFile } from '../../experiment/file/find.ts';
import { foldersProfile } from '../../experiment/file/load.ts';
import { exists, isFile } from '../../files/look.ts';
import { ownFile } from '../../files/own-files.ts';
import { readFileWhole, readTextWhole } from '../../files/read.ts';

/** Contents of files, by their paths relative to the working folder. */
export type Files = Readonly<Record<string, string | Buffer>>;

/**
 * An experiment under a new name, first its YAML file. Files that it names in a folder of its own name come with it, into a
 * folder of the new name.
 */
export function copyOf(nameOrPath: string, name: string, workingFolder: string): Files {
  const { file } = findExperiment(nameOrPath, workingFolder);
  const template = nameOfFile(file);
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

const schemaName = 'experiment.schema.json';

/** An experiment in the folder of the user's own, where editors must find its JSON schema. */
function withSchema(text: string, workingFolder: string): string {
  if (exists(path.join(workingFolder, experimentsFolder, schemaName))) return text;
  const schema = path.join('..', packageFolder(workingFolder), experimentsFolder, schemaName);
  return text.replace(/^(# yaml-language-server: \$schema=).*$/m, `$1${schema}`);
}

/** Where pgduet is, relative to the working folder: a path that stays when another version is installed. */
export function packageFolder(workingFolder: string): string {
  const installed = 'node_modules/pgduet';
  return exists(path.join(workingFolder, installed)) ? installed : path.relative(workingFolder, ownFile()) || '.';
}
