import path from 'node:path';
import type { Script, Reach } from './script-text.ts';
import { linesIn, type ScriptText, type ScriptCommand, sourceOfCopy } from './script-text.ts';

/** What begins a string of SQL: a quote, also after a letter or a colon, or that of a body in dollars. */
const string = String.raw`(?:[en]|u&)?:?(?:'|\$(?!\d))`;
/** What COPY does, in the rest of its statement. */
const byCopy: readonly [RegExp, what: string][] = [
  [new RegExp(String.raw`\b(?:from|to)\s+program\s*${string}`, 'gi'), 'runs a program on the server'],
  [new RegExp(String.raw`\bfrom\s*${string}`, 'gi'), 'reads a file on the server'],
];
/** What the server itself does for other statements in any script. */
const bySql: readonly [RegExp, what: string][] = [
  [/\b(?:pg_read_(?:binary_)?file|pg_ls_dir|lo_import)\s*\(/gi, 'reads a file on the server'],
  [
    /\bdblink(?:_\w+)?\s*\(|\bcreate\s+(?:server|subscription)\b|\bimport\s+foreign\s+schema\b/gi,
    'queries another server',
  ],
];

/**
 * What a script is seen to reach besides the data: programs, and files that are no inputs of the run. SQL can be put
 * together while it runs, so the list cannot be complete: it helps a reader, and protects nobody (experiment/trust.ts).
 */
export function sideEffectsOf(
  text: string,
  { sql, commands }: ScriptText,
  script: Script,
  places: {
    folder: string;
    isInput: (name: string) => boolean;
    /** Receives the path of each input that psql includes. */
    onInclude: (name: string) => void;
    /** Receives the path of each file that psql reads, and that is no input. */
    onOther: (name: string) => void;
  },
): Reach[] {
  // One look at each statement, however often it has the word.
  const copies = [...sql.matchAll(/\bcopy\b[^;]*/gi)].flatMap(({ index: from, 0: statement }) =>
    byCopy.flatMap(([pattern, what]) =>
      [...statement.matchAll(pattern)].map(({ index, 0: words }) => ({ what, at: from + index + words.length - 1 })),
    ),
  );
  const others = bySql.flatMap(([pattern, what]) =>
    [...sql.matchAll(pattern)].map(({ index, 0: words }) => ({ what, at: index + words.length - 1 })),
  );
  const found = [
    ...[...copies, ...others].flatMap(({ what, at }) => {
      const file = /^'((?:[^']|'')*)'/.exec(text.slice(at, at + 4096))?.[1];
      // The experiment may name the same file by its whole path.
      return file !== undefined && path.isAbsolute(file) && places.isInput(file) ? [] : [{ what, at }];
    }),
    ...commands.flatMap((command) => {
      const what = script.by === 'pgbench' ? byPgbench(command) : byPsql(command, script, places);
      return what === null ? [] : [{ what, at: command.at }];
    }),
  ];
  const lineOf = linesIn(text);
  return found.toSorted((one, other) => one.at - other.at).map(({ what, at }) => ({ what, line: lineOf(at) }));
}

/** pgbench takes its commands in any case. */
function byPgbench({ name }: ScriptCommand): string | null {
  return /^(?:set)?shell$/i.test(name) ? `runs a program by \\${name.toLowerCase()}` : null;
}

/** A value of a variable of psql that is a command once the variable stands in the script. */
const commandInValue = /\\(?:!|(?:gx?|o|out|w|write|copy|setenv|e|edit|ef|ev|i|ir|include|include_relative)\b)/;
/** What psql starts by itself, by the variables of the environment that name it. */
const programOfPsql = /^\s*(?:PSQL_EDITOR|EDITOR|VISUAL|PSQL_PAGER|PSQL_WATCH_PAGER|PAGER|SHELL|PATH|LD_\w+)\b/;

function byPsql(
  { name, rest }: ScriptCommand,
  script: Script,
  { folder, isInput, onInclude, onOther }: Parameters<typeof sideEffectsOf>[3],
): string | null {
  const reads = (file: string, from: string): string | null => {
    const whole = path.resolve(from, file);
    if (isInput(whole)) return null;
    onOther(whole);
    return `reads ${file}`;
  };
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
      if (/\b(?:from|to)\s+program\s*'/i.test(rest)) return 'runs a program by \\copy';
      const source = sourceOfCopy({ name, rest });
      if (source === null || /^p?stdin\b/i.test(source)) return null;
      return reads(argument(source), folder);
    }
    case 'lo_import':
      return reads(argument(rest), folder);
    case 'cd':
      return 'changes the folder that it reads from';
    case 'e':
    case 'edit':
    case 'ef':
    case 'ev':
      return `runs a program by \\${name}`;
    case 'setenv':
      if (programOfPsql.test(rest)) return 'names a program by \\setenv';
      break;
    case 'set':
      if (commandInValue.test(rest)) return 'keeps a command in a variable by \\set';
      break;
  }
  // Options of the output may stand before it.
  const isPiped = /^(?:gx?|o|out|w|write)$/.test(name) && /^\s*(?:\([^)]*\)\s*)?'?\|/.test(rest);
  return isPiped || rest.includes('`') ? `runs a program by \\${name}` : null;
}

/** The first argument of a command, without its quotes. */
function argument(text: string): string {
  const [, quoted, plain = ''] = /^\s*(?:'((?:[^']|'')*)'|(\S*))/.exec(text) ?? [];
  return quoted?.replaceAll("''", "'") ?? plain;
}
