import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap as isYamlMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { UserError } from '../../contract/errors.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { combinedProfiles, isMap, type Origin, type Plain } from './profiles.ts';
import type { Problem } from './problems.ts';

type Path = readonly PropertyKey[];

/**
 * Keeps the numbers in pgbench's variables as they are written if JavaScript would change them: to pgbench, 1 / 2 is 0
 * and 1.0 / 2 is 0.5, and 9007199254740993 is exactly that number.
 */
function keepAsWritten({ items }: YAMLMap): void {
  for (const { value: node } of items) {
    if (!isScalar(node) || typeof node.value !== 'number' || node.source === undefined) continue;
    const isLost = /^[-+]?\d+\.\d*$/.test(node.source)
      ? Number.isInteger(node.value)
      : /^[-+]?\d+$/.test(node.source) && !Number.isSafeInteger(node.value);
    if (isLost) node.value = node.source;
  }
}

/**
 * Fifty times the size of our largest experiment. Each profile is checked separately, so a larger file would take
 * minutes.
 */
const most = { bytes: 2 ** 18, values: 5000 } as const;

/** The text of an experiment file, its values, and the place of each value. */
export class ExperimentSource {
  readonly value: Plain;
  /** Syntax errors, duplicate keys, or a file that is not a map at all. */
  readonly problems: Problem[];
  readonly #lines = new LineCounter();
  readonly #root: Node | null;

  /** @throws {UserError} if the text is far larger than any experiment */
  constructor(text: string, shownPath: string) {
    const bytes = Buffer.byteLength(text);
    if (bytes > most.bytes) {
      throw new UserError(
        `${shownPath} has ${shownCount(bytes / 1024)} KiB; an experiment has no more than ${most.bytes / 1024}. Name an experiment file.`,
      );
    }
    const document = parseDocument(text, {
      lineCounter: this.#lines,
      merge: true,
      prettyErrors: false,
      // The library would compare each key with every other one.
      uniqueKeys: false,
    });
    this.#root = document.contents;
    this.problems = document.errors.map((error) => {
      const { line, col } = this.#lines.linePos(error.pos[0]);
      return { line, column: col, path: '', message: error.message };
    });
    const refuse = (node: Node, message: string): void => {
      const { line, col } = this.#lines.linePos(node.range?.[0] ?? 0);
      this.problems.push({ line, column: col, path: '', message });
    };
    const values = countValues(document.contents, (alias) =>
      refuse(alias, `${alias.source} contains itself; write the value out`),
    );
    if (values > most.values) {
      throw new UserError(
        `${shownPath} holds more than ${shownCount(most.values)} keys and values, which no experiment needs; an alias counts as everything that it stands for. Name an experiment file.`,
      );
    }
    visit(document, {
      Map(_, map) {
        const seen = new Set<unknown>();
        for (const { key } of map.items) {
          if (!isScalar(key) || key.value === '<<') continue;
          if (seen.has(key.value)) refuse(key, 'Map keys must be unique');
          seen.add(key.value);
        }
      },
      Pair: (_, { key, value }) => {
        if (isScalar(key) && key.value === '__proto__') refuse(key, '__proto__ cannot be a key; choose another name');
        if (isScalar(key) && key.value === 'variables' && isYamlMap(value)) keepAsWritten(value);
      },
    });
    this.value = this.problems.length === 0 ? this.#valueOf(document) : null;
    if (this.problems.length === 0 && !isMap(this.value)) {
      this.problems.push({
        line: 1,
        column: 1,
        path: '',
        message: `${shownPath} holds no experiment: expected a map of keys`,
      });
    }
  }

  /** The values of the file. Merging something that is not a map is a problem. */
  #valueOf(document: Document): Plain {
    try {
      return document.toJS({ maxAliasCount: -1 }) as Plain;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.problems.push({ line: 1, column: 1, path: '', message: `${message}. Write the values out` });
      return null;
    }
  }

  /**
   * Finds the line that a value of the merged experiment came from: the profile's own line, the file's, that of a value
   * of its matrix, or that of `common`; if the key is missing, the line of the map that should hold it.
   */
  locate(
    problem: RuleProblem,
    { merged, profile, origins }: { merged: Plain; profile: string; origins?: ReadonlyMap<string, Origin> },
  ): Problem {
    const candidates = pathsInFile(problem.path, origins)
      .flatMap((path) => candidatePaths(path, profile))
      .map((path) => ({ path, found: this.#find(path) }));
    const best = candidates.reduce((a, b) => {
      const missing = (candidate: typeof a) => candidate.path.length - candidate.found.depth;
      return missing(b) < missing(a) ? b : a;
    });
    const offset = best.found.offset ?? 0;
    const { line, col } = this.#lines.linePos(offset);
    const value = problem.showValue === false ? undefined : valueAt(merged, problem.path);
    return {
      line,
      column: col,
      path: best.path.map(String).join('.'),
      message: value === undefined ? problem.message : `${shownValue(value)}: ${problem.message}`,
    };
  }

  /** How many parts of the path exist in the file, and the offset of the last part that exists. */
  #find(path: Path): { depth: number; offset: number | null } {
    let node: unknown = this.#root;
    let offset: number | null = this.#root?.range?.[0] ?? null;
    for (const [depth, key] of path.entries()) {
      if (isYamlMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
        if (!isPair(pair)) return { depth, offset };
        offset = (pair.key as Node).range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        const item = node.items[Number(key)] as Node | undefined;
        if (!item) return { depth, offset };
        offset = item.range?.[0] ?? offset;
        node = item;
      } else return { depth, offset };
    }
    return { depth: path.length, offset };
  }
}

/**
 * Counts keys and values, with each alias counted as what it stands for. Aliases that multiply each other would fill
 * the memory.
 *
 * @param refuse receives an alias that stands for something that contains it
 */
function countValues(root: Node | null, refuse: (alias: Alias) => void): number {
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

/**
 * The paths at which the file may have a value of a variant made by a matrix: the value of each axis, and the variant.
 */
function pathsInFile(path: Path, origins: ReadonlyMap<string, Origin> = new Map()): Path[] {
  const [first, name, ...rest] = path;
  const origin = first === 'variants' && name !== undefined ? origins.get(String(name)) : undefined;
  if (!origin) return [path];
  const valuePaths = Object.entries(origin.values)
    .reverse()
    .map(([axis, value]): Path => ['matrix', axis, value, ...rest]);
  return [...valuePaths, ['variants', origin.variant, ...rest]];
}

/**
 * Places of the file that a value may come from, most specific first. If several exist to the same depth, the earlier
 * one wins. But a missing key belongs to the file itself.
 */
function candidatePaths(path: Path, profile: string): Path[] {
  // If several profiles set the value, the last of them counts.
  const inProfiles = (rest: Path): Path[] =>
    combinedProfiles(profile)
      .reverse()
      .map((name) => ['profiles', name, ...rest]);
  const common: Path | null = path[0] === 'variants' && path.length > 2 ? ['common', ...path.slice(2)] : null;
  return [...inProfiles(path), ...(common ? inProfiles(common) : []), path, ...(common ? [common] : [])];
}

function valueAt(value: Plain | undefined, path: Path): Plain | undefined {
  let current: Plain | undefined = value;
  for (const key of path) {
    if (isMap(current)) current = current[String(key)];
    else if (Array.isArray(current)) current = current[Number(key)];
    else return undefined;
  }
  return current;
}

function shownCount(count: number): string {
  return Math.ceil(count).toLocaleString('en');
}

function shownValue(value: Plain): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
