import path from 'node:path';
import type { Script, Reach } from './script-text.ts';
import { type ScriptText, type ScriptCommand, sourceOfCopy } from './script-text.ts';

/** What the server itself does for statements in any script. */
const bySql: readonly [RegExp, what: string][] = [
  [/\bcopy\b[^;]{0,1000}?\b(?:from|to)\s+program\s+e?:?'/gi, 'runs a program on the server'],
  [/\bcopy\b[^;]{0,1000}?\bfrom\s+e?:?'/gi, 'reads a file on the server'],
  [/\b(?:pg_read_(?:binary_)?file|pg_ls_dir|lo_import)\s*\(/gi, 'reads a file on the server'],
  [
    /\bdblink(?:_\w+)?\s*\(|\bcreate\s+(?:server|subscription)\b|\bimport\s+foreign\s+schema\b/gi,
    'queries another server',
  ],
];

export function outsideOf(
  text: string,
  { sql, commands }: ScriptText,
  script: Script,
  places: { folder: string; isInput: (name: string) => boolean; onInclude: (name: string) => void },
): Reach[] {
  const found = [
    ...bySql.flatMap(([pattern, what]) =>
      [...sql.matchAll(pattern)].flatMap(({ index, 0: words }) => {
        const at = index + words.length - 1;
        const file = /^'((?:[^']|'')*)'/.exec(text.slice(at, at + 4096))?.[1];
        // The experiment may name the same file by its whole path.
        return file !== undefined && path.isAbsolute(file) && places.isInput(file) ? [] : [{ what, at }];
      }),
    ),
    ...commands.flatMap((command) => {
      const what = script.by === 'pgbench' ? byPgbench(command) : byPsql(command, script, places);
      return what === null ? [] : [{ what, at: command.at }];
    }),
  ];
  let [line, counted] = [1, 0];
  return found
    .toSorted((one, other) => one.at - other.at)
    .map(({ what, at }) => {
      for (let end = text.indexOf('\n', counted); end >= 0 && end < at; end = text.indexOf('\n', counted)) {
        line += 1;
        counted = end + 1;
      }
      return { what, line };
    });
}

function byPgbench({ name }: ScriptCommand): string | null {
  return name === 'shell' || name === 'setshell' ? `runs a program by \\${name}` : null;
}

function byPsql(
  { name, rest }: ScriptCommand,
  script: Script,
  { folder, isInput, onInclude }: Parameters<typeof outsideOf>[3],
): string | null {
  const reads = (file: string, from: string): string | null =>
    isInput(path.resolve(from, file)) ? null : `reads ${file}`;
  switch (name) {
    case '!':
      return 'runs a program by \\!';
    case 'i':
    case 'include':
    case 'ir':
    case 'include_relative': {
      const file = argument(rest);
      const from = name.includes('r') ? path.resolve(folder, path.dirname(script.name)) : folder;
      const outside = reads(file, from);
      if (outside === null) onInclude(path.resolve(from, file));
      return outside;
    }
    case 'copy': {
      if (/\b(?:from|to)\s+program\s+'/i.test(rest)) return 'runs a program by \\copy';
      const source = sourceOfCopy({ name, rest });
      if (source === null || /^p?stdin\b/i.test(source)) return null;
      return reads(argument(source), folder);
    }
    case 'lo_import':
      return reads(argument(rest), folder);
    case 'cd':
      return 'changes the folder that it reads from';
    default:
      return rest.includes('`') || (/^(?:gx?|o|out|w|write)$/.test(name) && /^\s*\|/.test(rest))
        ? `runs a program by \\${name}`
        : null;
  }
}

/** The first argument of a command, without its quotes. */
function argument(text: string): string {
  const [, quoted, plain = ''] = /^\s*(?:'((?:[^']|'')*)'|(\S*))/.exec(text) ?? [];
  return quoted?.replaceAll("''", "'") ?? plain;
}
