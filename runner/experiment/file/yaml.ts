import {
  type Alias,
  type Document,
  type ErrorCode,
  isAlias,
  isCollection,
  isNode,
  isPair,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';

/** What YAML itself finds wrong with a text, and where it begins. */
export interface SyntaxMistake {
  offset: number;
  message: string;
}

export interface ParsedText {
  document: Document.Parsed;
  lines: LineCounter;
  /** Empty for YAML; otherwise the document is of no use. */
  mistakes: SyntaxMistake[];
}

type YamlError = Pick<Document.Parsed['errors'][number], 'pos' | 'code' | 'message'>;

/** As many as a user looks at, of a file that is not YAML. */
const maxMistakes = 20;

export function parseYaml(text: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    // The library would compare each key with every other one.
    uniqueKeys: false,
  });
  const mistakes = document.errors.slice(0, maxMistakes).map((error): SyntaxMistake => {
    const offset = startOfQuotation(error, document);
    return { offset, message: `${yamlWords(error)}${excerptAt(text, offset)}` };
  });
  return { document, lines, mistakes };
}

/** Nobody looks for an open quotation at the end of the file, where the library notices it. */
function startOfQuotation({ code, pos }: YamlError, document: Document.Parsed): number {
  let [start] = pos;
  visit(document, {
    Scalar(_, { type, range }) {
      if (code === 'MISSING_CHAR' && type?.startsWith('QUOTE') && range?.[1] === pos[0]) [start] = range;
    },
  });
  return start;
}

/** What to do, where the library does not say it; its own advice about documents is for programs. */
const remedies: Partial<Record<ErrorCode, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'indent the keys of a map alike, and quote a text with a colon',
  MULTILINE_IMPLICIT_KEY: 'indent the keys of a map alike',
  TAB_AS_INDENT: 'use spaces',
};

function yamlWords({ code, message }: YamlError): string {
  if (code === 'MULTIPLE_DOCS') {
    return 'a second YAML document starts here, but a file may contain only one experiment; remove the --- line';
  }
  const remedy = remedies[code];
  return remedy === undefined ? message : `${message}; ${remedy}`;
}

/** The line, or as much of it as fits, and below it a caret. */
function excerptAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1) + 1, offset - 50);
  const line = /^[^\r\n]{0,70}/.exec(text.slice(start))?.[0] ?? '';
  return `\n    ${line.replaceAll('\t', ' ')}\n    ${' '.repeat(offset - start)}^`;
}

/**
 * Whether a text may be nested so deep: by brackets, by indentation, or by marks of lists in one line. YAML's parser calls
 * itself for each level, and if it uses up the stack, V8 may end the process.
 */
export function isDeep(text: string, maxDepth: number): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > maxDepth) return true;
  }
  return text.split('\n').some((line) => (/^(?:[-?:\s]*\s)?/.exec(line)?.[0].length ?? 0) > maxDepth);
}

/**
 * Counts keys and values, with each alias counted as what it stands for. Aliases that multiply each other would fill
 * the memory.
 *
 * @param refuse receives an alias that stands for something that contains it
 */
export function countValues(root: Node | null, refuse: (alias: Alias) => void): number {
  /** Counts by name of the anchor; null while its value is being counted. */
  const anchors = new Map<string, number | null>();
  const count = (node: unknown): number => {
    if (isAlias(node)) {
      const meant = anchors.get(node.source);
      if (meant === null) refuse(node);
      return meant ?? 1;
    }
    if (isPair(node)) return count(node.key) + count(node.value);
    if (!isNode(node)) return 0;
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) anchors.set(anchor, null);
    const values = isCollection(node) ? node.items.reduce((sum: number, item) => sum + count(item), 1) : 1;
    if (anchor !== undefined) anchors.set(anchor, values);
    return values;
  };
  return count(root);
}
